#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "model/workload.hpp"
#include "wire/base64.hpp"
#include "wire/decode_error.hpp"
#include "wire/request.hpp"

namespace assay::wire {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kArguments =
    R"({"name": "x", "type": "tensor", "tensor_spec": {"shape": [8, 4], "init": {"kind": "randn"}}},
       {"name": "n", "type": "int", "value": 32}, {"name": "by", "type": "float", "value": 0.5})";

std::string body(std::string_view workloads) {
  return fmt::format(
      R"({{"reference": {{"source_code": "def f(x, n, by): return x", "kernel_type": "torch",
                          "io": {{"args": [{0}]}}}},
          "candidate": {{"source_code": "s", "kernel_type": "cuda",
                         "io": {{"args": [{0}, {{"name": "out", "type": "tensor", "role": "output",
                                                 "tensor_spec": {{"shape": [8, 4]}}}}],
                                 "launch": {{"grid": {{"x": 1}}, "block": {{"x": 64}}}}}}}},
          "workloads": {1}}})",
      kArguments, workloads);
}

const Shape& shape_of(const IoContract& io, std::size_t at) {
  return std::get<TensorArg>(io.args.at(at).value).shape;
}

std::string refusal(std::string_view workloads) {
  const auto request = decode_request(RequestForm::job, body(workloads));
  if (request) return "";
  const auto* fields = std::get_if<InvalidFields>(&request.error());
  return fields == nullptr ? "not a field" : fields->errors.front().message;
}

/// As base64, `size` zeros that were deflated.
std::string deflated_zeros(std::size_t size) {
  const std::string zeros(size, '\0');
  uLongf length = ::compressBound(zeros.size());
  std::string stream(length, '\0');
  EXPECT_EQ(::compress(reinterpret_cast<Bytef*>(stream.data()), &length,
                       reinterpret_cast<const Bytef*>(zeros.data()), zeros.size()),
            Z_OK);
  stream.resize(length);
  return encode_base64(stream);
}

TEST(Workloads, copies_of_data_count_as_the_data_does) {
  constexpr std::size_t kSize = std::size_t{32} << 20U;
  const std::string argument = fmt::format(
      R"({{"name":"x","type":"tensor","tensor_spec":{{"data":{{"data_b64":"{}","compress":"zlib",
           "dtype":"int8","shape":[{}]}}}}}})",
      deflated_zeros(kSize), kSize);
  const auto with = [&](std::string_view workloads) {
    return decode_request(
        RequestForm::job,
        fmt::format(R"({{"reference":{{"source_code":"def f(x): return x","kernel_type":"torch",
                         "io":{{"args":[{0}]}}}},
                         "candidate":{{"source_code":"s","kernel_type":"cuda",
                         "io":{{"args":[{0}]}}}},"workloads":[{1}]}})",
                    argument, workloads));
  };
  EXPECT_TRUE(with("{}"));
  std::string many = "{}";
  for (int i = 0; i < 15; ++i) many += ",{}";
  const auto refused = with(many);  // 64 MiB 17 times
  ASSERT_FALSE(refused);
  const auto* fields = std::get_if<InvalidFields>(&refused.error());
  ASSERT_NE(fields, nullptr);
  EXPECT_THAT(fields->errors.front().message, HasSubstr("may hold 1024 MiB together"));
}

TEST(Workloads, arguments_change_in_every_contract_that_has_them) {
  const auto request = decode_request(
      RequestForm::job,
      body(R"([{"name": "long", "args": {"x": [8, 900], "out": [8, 900], "n": 7200, "by": 2},
               "launch": {"grid": {"x": 29}, "block": {"x": 256}}}, {}])"));
  ASSERT_TRUE(request);
  ASSERT_EQ(request->workloads.size(), 2U);
  const Workload& workload = request->workloads[0];
  EXPECT_EQ(workload.name, "long");
  EXPECT_EQ(shape_of(*workload.reference_io, 0), (Shape{8, 900}));
  EXPECT_EQ(shape_of(*workload.candidate_io, 0), (Shape{8, 900}));
  EXPECT_EQ(shape_of(*workload.candidate_io, 3), (Shape{8, 900}));
  EXPECT_EQ(std::get<ScalarArg>(workload.candidate_io->args[1].value),
            ScalarArg(std::int64_t{7200}));
  EXPECT_EQ(std::get<ScalarArg>(workload.reference_io->args[2].value), ScalarArg(2.0));
  EXPECT_EQ(workload.candidate_io->launch.grid, (Dim3{29, 1, 1}));
  EXPECT_EQ(request->workloads[1].name, "workload 2");
  EXPECT_EQ(shape_of(*request->workloads[1].candidate_io, 0), (Shape{8, 4}));
  EXPECT_EQ(request->workloads[1].candidate_io->launch.block, (Dim3{64, 1, 1}));
}

TEST(Workloads, constants_are_kept_as_json) {
  const auto request = decode_request(
      RequestForm::job, body(R"([{"constants": {"batch_size": 3, "shape": [4, 5]}}])"));
  ASSERT_TRUE(request);
  using Constant = std::pair<std::string, std::string>;
  EXPECT_THAT(request->workloads[0].constants,
              testing::ElementsAre(Constant("batch_size", "3"), Constant("shape", "[4,5]")));
}

TEST(Workloads, mistakes_are_named) {
  EXPECT_THAT(refusal(R"([{"args": {"z": 3}}])"), HasSubstr("No contract"));
  EXPECT_THAT(refusal(R"([{"args": {"x": 3}}])"), HasSubstr("list"));
  EXPECT_THAT(refusal(R"([{"args": {"n": "many"}}])"), HasSubstr("a whole number, not 'many'"));
  EXPECT_THAT(refusal(R"([{"constants": {"a b": 3}}])"), HasSubstr("not a name"));
  EXPECT_THAT(refusal(R"([{"constants": {"a": {"b": 1}}}])"), HasSubstr("Input should be"));
  EXPECT_THAT(refusal(R"([{"args": {"x": [1000000000, 1000000000]}}])"),
              HasSubstr("this machine has"));
  EXPECT_THAT(refusal(R"([{"sizes": {}}])"), testing::Not(testing::IsEmpty()));
  std::string many = "[{}";
  for (int i = 0; i < 16; ++i) many += ",{}";
  EXPECT_THAT(refusal(many + "]"), HasSubstr("16 workloads at most"));
}

TEST(Workloads, a_kernel_alone_has_none) {
  const auto request = decode_request(
      RequestForm::job,
      R"({"kernel": {"source_code": "def f(): pass", "kernel_type": "torch"}, "workloads": [{}]})");
  ASSERT_FALSE(request);
}

}  // namespace
}  // namespace assay::wire
