#include "cli/request_flags.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

using ::testing::HasSubstr;
using wire::Value;

constexpr const char* kModel = "import torch\nclass Model:\n  def forward(self, x): pass\n";
constexpr const char* kContract =
    R"({"args":[{"name":"x","type":"tensor","tensor_spec":{"shape":[8]}}]})";

class RequestFlagsTest : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    EXPECT_TRUE(write_file_atomically(dir_.path() / name, text));
    return (dir_.path() / name).string();
  }
  static Value body_of(const RequestFlags& flags, bool with_reference) {
    return Value::parse(request_body(flags, with_reference).value()).value();
  }
  static std::string refusal_of(const RequestFlags& flags, bool with_reference) {
    const auto body = request_body(flags, with_reference);
    EXPECT_FALSE(body);
    return body ? "" : body.error().message();
  }

  TempDir dir_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-cli-").value();
};

TEST_F(RequestFlagsTest, parts_become_a_request) {
  const Value body = body_of({.reference = file("a.cu", "A"),
                              .candidate = file("b.cu", "B"),
                              .io = file("io.json", R"({"args":[]})"),
                              .kernel_name = "f",
                              .rtol = 1e-3,
                              .judge_speed = true},
                             true);
  EXPECT_EQ(body["reference"]["source_code"].text(), "A");
  EXPECT_EQ(body["candidate"]["source_code"].text(), "B");
  EXPECT_EQ(body["candidate"]["kernel_type"].text(), "cuda");
  EXPECT_EQ(body["candidate"]["metadata"]["kernel_name"].text(), "f");
  EXPECT_TRUE(body["reference"]["metadata"].is_null());
  EXPECT_EQ(body["reference"]["io"].dump(), R"({"args":[]})");
  EXPECT_EQ(body["rtol"].number(), 1e-3);
  EXPECT_TRUE(body["judge_speed"].truth());
  EXPECT_EQ(body["name"].text(), "b.cu");
}

TEST_F(RequestFlagsTest, json_that_is_no_object_is_told_what_it_should_be) {
  const std::string list = file("list.json", "[1]");
  EXPECT_THAT(refusal_of({.files = {file("a.cu", "A"), file("b.cu", "B")}, .io = list}, true),
              HasSubstr("list.json is not a contract"));
  EXPECT_THAT(refusal_of({.files = {list}}, true), HasSubstr("list.json is not a request"));
}

TEST_F(RequestFlagsTest, how_strictly_to_judge_can_be_said) {
  const Value body = body_of({.reference = file("a.cu", "A"),
                              .candidate = file("b.cu", "B"),
                              .io = file("io.json", R"({"args":[]})"),
                              .allow = {"tf32", "float16"},
                              .require = {"own_kernels"},
                              .strict = true},
                             true);
  EXPECT_EQ(body["allow"].dump(), R"(["tf32","float16"])");
  EXPECT_EQ(body["require"].dump(), R"(["own_kernels"])");
  EXPECT_TRUE(body["strict"].truth());
}

TEST_F(RequestFlagsTest, two_files_are_reference_and_candidate) {
  const Value body = body_of(
      {.files = {file("ref.py", kModel), file("cand.cu", "C")}, .io = file("io.json", kContract)},
      true);
  EXPECT_EQ(body["reference"]["kernel_type"].text(), "torch");
  EXPECT_EQ(body["candidate"]["kernel_type"].text(), "cuda");
  const Value& argument = body["reference"]["io"]["args"].elements().at(0);
  EXPECT_EQ(argument.dump(), body["candidate"]["io"]["args"].elements().at(0).dump());
  EXPECT_GT(argument["tensor_spec"]["init"]["seed"].number(), 0);
}

TEST_F(RequestFlagsTest, contract_that_is_given_for_a_model_is_put_in_its_order) {
  const std::string contract =
      file("io.json",
           R"({"args":[{"name":"y","type":"tensor","role":"output","tensor_spec":{"shape":[8]}},)"
           R"({"name":"x","type":"tensor","tensor_spec":{"shape":[8]}}]})");
  const Value body =
      body_of({.files = {file("ref.py", kModel), file("cand.cu", "C")}, .ref_io = contract}, true);
  EXPECT_EQ(body["reference"]["io"]["args"].elements().size(), 1U);
  EXPECT_EQ(body["reference"]["io"]["args"].elements().at(0).dump(),
            body["candidate"]["io"]["args"].elements().at(1).dump());
  const std::string other = file("other.py", "def f(weight): pass\n");
  EXPECT_THAT(refusal_of({.files = {other, file("cand.cu", "C")}, .ref_io = contract}, true),
              HasSubstr("`forward` takes weight, the contract has the inputs x"));
}

TEST_F(RequestFlagsTest, a_model_is_the_candidate_of_a_cuda_reference) {
  const std::string reference = file("slow.cu", "A");
  file("slow.io.json", kContract);
  const Value body = body_of({.files = {reference, file("fast.py", kModel)}}, true);
  const Value& argument = body["candidate"]["io"]["args"].elements().at(0);
  EXPECT_EQ(argument.dump(), body["reference"]["io"]["args"].elements().at(0).dump());
  EXPECT_GT(argument["tensor_spec"]["init"]["seed"].number(), 0);
  const std::string other = file("other.py", "class Model:\n  def forward(self, a, b): pass\n");
  EXPECT_THAT(refusal_of({.files = {reference, other}}, true),
              HasSubstr("`forward` takes a, b, the contract has the inputs x"));
}

TEST_F(RequestFlagsTest, a_name_chooses_a_function_or_a_class_of_python) {
  const std::string source = file("two.py", "def f(x): pass\ndef g(x): pass\nclass C: pass\n");
  EXPECT_EQ(body_of({.files = {source}, .kernel_name = "g"}, false)["candidate"]["metadata"].dump(),
            R"({"function_name":"g"})");
  EXPECT_EQ(body_of({.files = {source}, .kernel_name = "C"}, false)["candidate"]["metadata"].dump(),
            R"({"class_name":"C"})");
}

TEST_F(RequestFlagsTest, standard_input_is_named_once) {
  EXPECT_THAT(refusal_of({.files = {"-", "-"}}, true), HasSubstr("can be given once"));
  EXPECT_THAT(refusal_of({.files = {"-"}, .io = "-"}, false), HasSubstr("can be given once"));
}

TEST_F(RequestFlagsTest, models_keep_their_own_inputs) {
  const Value body = body_of({.files = {file("ref.py", kModel), file("cand.py", kModel)}}, true);
  EXPECT_TRUE(body["reference"]["io"].is_null());
  EXPECT_TRUE(body["candidate"]["io"].is_null());
}

TEST_F(RequestFlagsTest, contract_beside_a_kernel_is_taken) {
  file("k.io.json", R"({"args":[]})");
  const Value body = body_of({.files = {file("k.cu", "K")}}, false);
  EXPECT_EQ(body["candidate"]["io"].dump(), R"({"args":[]})");
  EXPECT_THAT(refusal_of({.files = {file("other.cu", "K")}}, false),
              HasSubstr("assay init " + (dir_.path() / "other.cu").string()));
}

TEST_F(RequestFlagsTest, contract_beside_the_reference_is_shared) {
  const std::string reference = file("slow.cu", "A");
  file("slow.io.json", kContract);
  const Value body = body_of({.files = {reference, file("fast.cu", "B")}}, true);
  EXPECT_EQ(body["candidate"]["io"].dump(), body["reference"]["io"].dump());
  EXPECT_EQ(body["candidate"]["io"]["args"].elements().size(), 1U);
}

TEST_F(RequestFlagsTest, contract_that_is_typed_wins_over_one_that_lies_beside) {
  const std::string reference = file("slow.cu", "A");
  file("slow.io.json", kContract);
  const Value body = body_of(
      {.files = {reference, file("fast.cu", "B")}, .io = file("io.json", R"({"args":[]})")}, true);
  EXPECT_EQ(body["reference"]["io"].dump(), R"({"args":[]})");
}

TEST_F(RequestFlagsTest, each_side_has_flags_of_its_own) {
  const Value body = body_of({.files = {file("a.cu", "A"), file("b.cu", "B")},
                              .io = file("io.json", R"({"args":[1]})"),
                              .ref_io = file("ref.json", R"({"args":[2]})"),
                              .ref_type = "triton",
                              .ref_kernel_name = "g"},
                             true);
  EXPECT_EQ(body["candidate"]["io"].dump(), R"({"args":[1]})");
  EXPECT_EQ(body["reference"]["io"].dump(), R"({"args":[2]})");
  EXPECT_EQ(body["reference"]["kernel_type"].text(), "triton");
  EXPECT_EQ(body["reference"]["metadata"]["kernel_name"].text(), "g");
}

TEST_F(RequestFlagsTest, flags_win_over_the_request_file) {
  const std::string request =
      file("r.json", R"({"kernel":{},"num_trials":5,"timing":{"mode":"cold","threshold":0.1}})");
  const Value body = body_of({.files = {request}, .num_trials = "7", .threshold = 0.01}, false);
  EXPECT_EQ(body["num_trials"].number(), 7);
  EXPECT_EQ(body["timing"]["mode"].text(), "cold");
  EXPECT_EQ(body["timing"]["threshold"].number(), 0.01);
  EXPECT_FALSE(body["kernel"].is_null());
}

TEST_F(RequestFlagsTest, trials_may_be_left_to_the_server) {
  const Value body = body_of(
      {.files = {file("r.json", R"({"kernel":{}})")}, .num_trials = "auto", .timing_mode = "warm"},
      false);
  EXPECT_EQ(body["num_trials"].text(), "auto");
  EXPECT_EQ(body["timing"].dump(), R"({"mode":"warm"})");
}

TEST_F(RequestFlagsTest, source_beside_a_request_is_judged_by_its_contract) {
  for (const std::string name : {"candidate", "kernel", "custom_kernel"}) {
    const std::string request =
        file("r.json", R"({")" + name +
                           R"(":{"source_code":"old","kernel_type":"triton",)"
                           R"("io":{"args":[1]},"metadata":{"num_warps":8}}})");
    const Value body =
        body_of({.files = {request}, .candidate = file("k.py", "new"), .kernel_name = "f"}, false);
    EXPECT_EQ(body[name].dump(), R"({"source_code":"new","kernel_type":"triton","io":{"args":[1]},)"
                                 R"("metadata":{"num_warps":8,"kernel_name":"f"}})");
  }
}

TEST_F(RequestFlagsTest, comparison_without_a_reference_is_refused) {
  EXPECT_THAT(refusal_of({.candidate = file("b.cu", "B"), .io = file("io.json", "{}")}, true),
              HasSubstr("--reference"));
  EXPECT_FALSE(request_body({.files = {file("r.json", R"({"kernel":{}})")}}, true));
  EXPECT_TRUE(request_body({.files = {file("r.json", R"({"kernel":{},"reference":{}})")}}, true));
}

TEST_F(RequestFlagsTest, a_kernel_given_twice_is_refused) {
  const std::string kernel = file("a.cu", "A");
  EXPECT_THAT(refusal_of({.files = {kernel, kernel}, .candidate = kernel}, true),
              HasSubstr("twice"));
  EXPECT_THAT(refusal_of({.files = {kernel}, .candidate = kernel}, false), HasSubstr("twice"));
}

TEST_F(RequestFlagsTest, what_is_missing_is_said) {
  EXPECT_EQ(request_body({}, false).error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(refusal_of({.candidate = file("k.txt", "x")}, false),
              ::testing::EndsWith("with --type"));
  EXPECT_THAT(refusal_of({.files = {file("bad.json", "{\n \"kernel\": ]}")}}, false),
              HasSubstr("bad.json: not JSON: line 2, column 12"));
  EXPECT_FALSE(request_body({.files = {(dir_.path() / "none").string()}}, false));
}

TEST_F(RequestFlagsTest, files_to_watch_are_all_that_the_request_is_made_of) {
  const std::string kernel = file("k.cu", "K");
  const std::string contract = file("k.io.json", "{}");
  const auto files = files_of({.files = {"-", kernel}});
  EXPECT_THAT(files, ::testing::UnorderedElementsAre(kernel, contract));
}

}  // namespace
}  // namespace assay::cli
