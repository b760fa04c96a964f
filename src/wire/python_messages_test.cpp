#include "wire/python_messages.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/extension.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "model/tree.hpp"

namespace assay::wire {
namespace {

using ::testing::HasSubstr;

Result<PythonReply> produced(const std::string& value) {
  return decode_python_reply(R"({"reply":"produced","value":)" + value + "}");
}

TEST(PythonReply, nested_value_is_read_with_its_tensors) {
  const auto reply = produced(
      R"({"k":"tuple","items":[{"k":"tensor","shape":[2,3],"dtype":"bfloat16","order":[1,0]},)"
      R"({"k":"dict","keys":["s"],"items":[{"k":"float","v":"nan"}]},{"k":"none"}]})");
  const Tree& tree = std::get<Produced>(reply.value()).value;
  EXPECT_EQ(structure_of(tree), "(tensor, {'s': float}, None)");
  const auto tensors = tensors_of(tree);
  ASSERT_EQ(tensors.size(), 1U);
  EXPECT_EQ(tensors[0]->byte_size(), 12U);
  EXPECT_EQ(tensors[0]->order, (std::vector<std::uint32_t>{1, 0}));
}

TEST(PythonReply, hostile_values_are_refused) {
  const std::string deep = [] {
    std::string text = R"({"k":"none"})";
    for (int i = 0; i < 40; ++i) text.insert(0, R"({"k":"list","items":[)").append("]}");
    return text;
  }();
  for (const std::string& value :
       {deep, std::string(R"({"k":"tensor","shape":[-1],"dtype":"int8"})"),
        std::string(R"({"k":"tensor","shape":[4294967296,4294967296],"dtype":"int8"})"),
        std::string(R"({"k":"tensor","shape":[1],"dtype":"complex64"})"),
        std::string(R"({"k":"tensor","shape":[2,3],"dtype":"int8","order":[1]})"),
        std::string(R"({"k":"tensor","shape":[2,3],"dtype":"int8","order":[1,1]})"),
        std::string(R"({"k":"tensor","shape":[2,3],"dtype":"int8","order":[1,2]})"),
        std::string(R"({"k":"dict","keys":[],"items":[{"k":"none"}]})"),
        std::string(R"({"k":"float","v":"2.5x"})"), std::string(R"({"k":"object"})")}) {
    EXPECT_EQ(produced(value).error().code(), ErrorCode::invalid_argument) << value;
  }
}

TEST(PythonReply, other_replies_are_those_of_every_runner) {
  EXPECT_EQ(std::get<Samples>(decode_python_reply(R"({"reply":"samples","ns":[1.5]})").value()).ns,
            std::vector<double>{1.5});
  EXPECT_TRUE(std::get<Loaded>(decode_python_reply(R"({"reply":"loaded","has_inputs":true,)"
                                                   R"("has_init_inputs":false,"takes_state":true})")
                                   .value())
                  .takes_state);
  EXPECT_FALSE(
      decode_python_reply(R"({"reply":"refused","verdict":{"verdict":"accepted"},"findings":[]})"));
  EXPECT_FALSE(decode_python_reply(R"({"reply":"bound"})"));
}

TEST(PythonReply, calls_of_load_inline_are_read_and_their_names_checked) {
  const auto reply = [](const std::string& key, const std::string& name) {
    return decode_python_reply(R"({"reply":"discovered","calls":[{"key":")" + key +
                               R"(","name":")" + name +
                               R"(","cflags":["-O3"],"cuda_cflags":[],"sources":[)"
                               R"({"name":"cuda.cu","text":"x","cuda":true}]}]})");
  };
  const std::string key(64, 'a');
  const auto call = std::get<Discovered>(reply(key, "ext_1").value()).calls.at(0);
  EXPECT_EQ(call.name, "ext_1");
  EXPECT_TRUE(call.sources.at(0).is_cuda);
  EXPECT_FALSE(reply("../" + key.substr(3), "ext"));
  EXPECT_FALSE(reply(key, "ext\\n#include"));
}

TEST(PythonReply, source_of_an_extension_lies_in_no_other_folder) {
  const auto reply = [](const std::string& name) {
    return decode_python_reply(R"({"reply":"build_needed","calls":[{"key":")" +
                               std::string(64, 'a') +
                               R"(","name":"e","cflags":[],"cuda_cflags":[],"sources":[{"name":")" +
                               name + R"(","text":"x","cuda":true}]}]})");
  };
  EXPECT_TRUE(reply("my kernel.v2.cu"));
  for (const std::string name :
       {"/etc/crontab", "../../x.cu", "a/b.cu", "..", ".", "", "a\\nb", "a\\u0000b"}) {
    EXPECT_FALSE(reply(name)) << name;
  }
  EXPECT_FALSE(reply(std::string(300, 'a')));
}

TEST(PythonReply, extensions_needed_are_read_as_those_discovered) {
  const auto reply = [](const std::string& calls) {
    return decode_python_reply(R"({"reply":"build_needed","calls":[)" + calls + "]}");
  };
  const std::string call = R"({"key":")" + std::string(64, 'b') +
                           R"(","name":"late","cflags":[],"cuda_cflags":["-O3"],"sources":[]})";
  const auto needed = std::get<ExtensionsNeeded>(reply(call).value());
  EXPECT_EQ(needed.calls.at(0).name, "late");
  EXPECT_EQ(needed.calls.at(0).cuda_cflags, std::vector<std::string>{"-O3"});
  EXPECT_FALSE(reply("")) << "needing nothing is no reason to end an evaluation";
  EXPECT_FALSE(reply(call + "," + call)) << "each has a directory of its own";
}

TEST(PythonCommand, load_carries_what_the_submitter_said) {
  const Kernel kernel{
      .source = "x = 1",
      .type = KernelType::triton,
      .io =
          IoContract{.args = {{.name = "n", .value = ScalarArg(std::int64_t{7})},
                              {.name = "B", .value = ScalarArg(std::int64_t{16}), .is_meta = true}},
                     .launch = {.grid_expressions = {"cdiv(n, B)"}, .num_warps = 8}},
      .metadata = {.kernel_name = "k", .init_args = "[1, 2.5]"}};
  const std::string text =
      encode_command(PythonCommand(PythonLoad{.kernel = &kernel,
                                              .seed = 9,
                                              .sanitize = {.memory = true, .init = true},
                                              .schedule_seed = 5}));
  EXPECT_THAT(text, HasSubstr(R"("kernel_name":"k")"));
  EXPECT_THAT(text, HasSubstr(R"("init_args":[1,2.5])"));
  EXPECT_THAT(text, HasSubstr(R"({"meta":true,"name":"B"})"));
  EXPECT_THAT(text, HasSubstr(R"j("grid_expr":["cdiv(n, B)"])j"));
  EXPECT_THAT(text, HasSubstr(R"("num_warps":8)"));
  EXPECT_THAT(text, HasSubstr(R"("sanitize":["memory","init"])"));
  EXPECT_THAT(text, HasSubstr(R"("schedule_seed":5)"));
}

TEST(PythonReply, size_of_what_was_packed_is_a_whole_number) {
  const auto packed = decode_python_reply(R"({"reply":"packed","bytes":4096})");
  EXPECT_EQ(std::get<Packed>(packed.value()).bytes, 4096U);
  for (const char* bytes : {"-1", "1.5", "1e300", "\"1\"", "null"}) {
    EXPECT_FALSE(decode_python_reply(R"({"reply":"packed","bytes":)" + std::string(bytes) + "}"))
        << bytes;
  }
}

TEST(PythonCommand, descriptors_are_named_in_their_order) {
  const Kernel kernel{.source = "x = 1", .type = KernelType::torch_cuda};
  PythonLoad load{.kernel = &kernel};
  EXPECT_THAT(encode_command(PythonCommand(load)), HasSubstr(R"("descriptors":[])"));
  load.extensions = 2;
  load.with_support = load.with_compiled = true;
  EXPECT_THAT(encode_command(PythonCommand(load)),
              HasSubstr(R"("descriptors":["extensions","extensions","support","compiled"])"));
  EXPECT_EQ(encode_command(PythonCommand(PackCommand{})), R"({"op":"pack"})");
}

TEST(PythonCommand, given_value_has_offsets_and_floats_as_text) {
  const Tree value{SequenceNode{.items = {{TensorLeaf{.shape = {4}, .offset = 256}}, {INFINITY}}}};
  const std::string text = encode_command(PythonCommand(GiveCommand{
      .value = value, .arena_size = 512, .restores = {{.from = 1, .to = 2, .size = 3}}}));
  EXPECT_THAT(text, HasSubstr(R"("offset":256)"));
  EXPECT_THAT(text, HasSubstr(R"({"k":"float","v":"inf"})"));
  EXPECT_THAT(text, HasSubstr(R"("restores":[[1,2,3]])"));
  EXPECT_THAT(text, HasSubstr(R"("vary_weights":"none")"));
}

TEST(PythonReply, samples_may_come_with_the_fingerprint_of_an_answer) {
  const auto reply =
      decode_python_reply(R"({"reply":"samples","ns":[1.5],"fingerprint":18446744073709551615})");
  EXPECT_EQ(std::get<Samples>(reply.value()).fingerprint, ~std::uint64_t{0});
  EXPECT_FALSE(decode_python_reply(R"({"reply":"samples","ns":[1.5],"fingerprint":-1})"));
}

TEST(PythonReply, state_names_the_weights_that_were_varied) {
  const auto reply = decode_python_reply(
      R"({"reply":"produced","value":{"k":"none"},"varied":{"norms":["norm.bias"],"made":["scale"],"others":[]}})");
  const VariedWeights& varied = std::get<Produced>(reply.value()).varied;
  EXPECT_EQ(varied.of_norms, std::vector<std::string>{"norm.bias"});
  EXPECT_EQ(varied.made, std::vector<std::string>{"scale"});
  EXPECT_TRUE(varied.others.empty());
  EXPECT_FALSE(
      decode_python_reply(R"({"reply":"produced","value":{"k":"none"},"varied":{"norms":7}})"));
}

}  // namespace
}  // namespace assay::wire
