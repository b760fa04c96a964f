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
  const auto body = wire::Value::parse(request_body(flags).value()).value();
  EXPECT_EQ(body["reference"]["source_code"].text(), "A");
  EXPECT_EQ(body["candidate"]["source_code"].text(), "B");
  EXPECT_EQ(body["candidate"]["kernel_type"].text(), "cuda");
  EXPECT_EQ(body["candidate"]["metadata"]["kernel_name"].text(), "f");
  EXPECT_EQ(body["rtol"].number(), 1e-3);
}

TEST_F(RequestFlagsTest, flags_win_over_the_request_file) {
  const RequestFlags flags{.request = file("r.json", R"({"kernel":{},"num_trials":5})"),
                           .num_trials = 7};
  const auto body = wire::Value::parse(request_body(flags).value()).value();
  EXPECT_EQ(body["num_trials"].number(), 7);
  EXPECT_FALSE(body["kernel"].is_null());
}

TEST_F(RequestFlagsTest, what_is_missing_is_said) {
  EXPECT_EQ(request_body({}).error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(request_body({.candidate = file("k.txt", "x")}).error().message().find("--type"),
            std::string::npos);
  EXPECT_NE(request_body({.request = file("bad.json", "{")}).error().message().find("not JSON"),
            std::string::npos);
  EXPECT_FALSE(request_body({.request = dir_.path() / "none"}));
}

}  // namespace
}  // namespace assay::cli
