#include "cli/request_flags.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

class RequestFlagsTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) {
    EXPECT_TRUE(write_file_atomically(dir_.path() / name, text));
    return dir_.path() / name;
  }

  TempDir dir_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-cli-").value();
};

TEST_F(RequestFlagsTest, parts_become_a_request) {
  const RequestFlags flags{.reference = file("a.cu", "A"),
                           .candidate = file("b.cu", "B"),
                           .io = file("io.json", R"({"args":[]})"),
                           .kernel_name = "f",
                           .rtol = 1e-3};
  const auto body = wire::Value::parse(request_body(flags, false).value()).value();
  EXPECT_EQ(body["reference"]["source_code"].text(), "A");
  EXPECT_EQ(body["candidate"]["source_code"].text(), "B");
  EXPECT_EQ(body["candidate"]["kernel_type"].text(), "cuda");
  EXPECT_EQ(body["candidate"]["metadata"]["kernel_name"].text(), "f");
  EXPECT_EQ(body["rtol"].number(), 1e-3);
}

TEST_F(RequestFlagsTest, flags_win_over_the_request_file) {
  const RequestFlags flags{
      .request = file("r.json",
                      R"({"kernel":{},"num_trials":5,"timing":{"mode":"cold","threshold":0.1}})"),
      .num_trials = "7",
      .threshold = 0.01};
  const auto body = wire::Value::parse(request_body(flags, false).value()).value();
  EXPECT_EQ(body["num_trials"].number(), 7);
  EXPECT_EQ(body["timing"]["mode"].text(), "cold");
  EXPECT_EQ(body["timing"]["threshold"].number(), 0.01);
  EXPECT_FALSE(body["kernel"].is_null());
}

TEST_F(RequestFlagsTest, trials_may_be_left_to_the_server) {
  const RequestFlags flags{
      .request = file("r.json", R"({"kernel":{}})"), .num_trials = "auto", .timing_mode = "warm"};
  const auto body = wire::Value::parse(request_body(flags, false).value()).value();
  EXPECT_EQ(body["num_trials"].text(), "auto");
  EXPECT_EQ(body["timing"].dump(), R"({"mode":"warm"})");
}

TEST_F(RequestFlagsTest, source_beside_a_request_is_judged_by_its_contract) {
  for (const std::string name : {"candidate", "kernel", "custom_kernel"}) {
    const RequestFlags flags{
        .request = file("r.json", R"({")" + name +
                                      R"(":{"source_code":"old","kernel_type":"triton",)"
                                      R"("io":{"args":[1]},"metadata":{"num_warps":8}}})"),
        .candidate = file("k.py", "new"),
        .kernel_name = "f"};
    const auto kernel = wire::Value::parse(request_body(flags, false).value()).value()[name];
    EXPECT_EQ(kernel.dump(), R"({"source_code":"new","kernel_type":"triton","io":{"args":[1]},)"
                             R"("metadata":{"num_warps":8,"kernel_name":"f"}})");
  }
}

TEST_F(RequestFlagsTest, flags_change_every_kernel_of_a_request) {
  const RequestFlags flags{
      .request = file("r.json", R"({"ref_kernel":{"source_code":"r"},"kernel":{"io":{}}})"),
      .io = file("io.json", R"({"args":[2]})"),
      .type = "torch"};
  EXPECT_EQ(request_body(flags, true).value(),
            R"({"ref_kernel":{"source_code":"r","kernel_type":"torch","io":{"args":[2]}},)"
            R"("kernel":{"io":{"args":[2]},"kernel_type":"torch"}})");
}

TEST_F(RequestFlagsTest, comparison_without_a_reference_is_refused) {
  const RequestFlags flags{.candidate = file("b.cu", "B"), .io = file("io.json", "{}")};
  const auto body = request_body(flags, true);
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(body.error().message().find("--reference"), std::string::npos);
  EXPECT_FALSE(request_body({.request = file("r.json", R"({"kernel":{}})")}, true));
  EXPECT_TRUE(request_body({.request = file("r.json", R"({"kernel":{},"reference":{}})")}, true));
}

TEST_F(RequestFlagsTest, what_is_missing_is_said) {
  EXPECT_EQ(request_body({}, false).error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(request_body({.candidate = file("k.txt", "x")}, false).error().message().find("--type"),
            std::string::npos);
  EXPECT_NE(
      request_body({.request = file("bad.json", "{")}, false).error().message().find("not JSON"),
      std::string::npos);
  EXPECT_FALSE(request_body({.request = dir_.path() / "none"}, false));
}

}  // namespace
}  // namespace assay::cli
