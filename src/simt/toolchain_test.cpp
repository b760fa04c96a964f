#include "simt/toolchain.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/embedded_file.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "simt/embedded.hpp"

namespace assay::simt {
namespace {

TEST(Toolchain, fingerprint_follows_the_compiler) {
  EXPECT_EQ(fingerprint("g++ 12"), fingerprint("g++ 12"));
  EXPECT_NE(fingerprint("g++ 12"), fingerprint("g++ 13"));
}

TEST(Toolchain, writes_headers_and_runtime) {
  const auto dir = TempDir::create(std::filesystem::temp_directory_path(), "simt-").value();
  const Toolchain toolchain{.directory = dir.path(), .compiler = "g++"};
  ASSERT_TRUE(write_files(toolchain));
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "include/cuda_runtime.h"));
  EXPECT_EQ(read_file(dir.path() / "runtime/block.cpp").value().empty(), false);
}

TEST(Toolchain, writing_fails_where_the_directory_cannot_be_made) {
  EXPECT_EQ(write_files({.directory = "/proc/none", .compiler = "g++"}).error().code(),
            ErrorCode::internal);
}

TEST(Toolchain, every_runtime_source_is_compiled_into_the_library) {
  const auto commands = setup_commands({.directory = "/t", .compiler = "cc"});
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.starts_with("runtime/") || !file.path.ends_with(".cpp")) continue;
    EXPECT_TRUE(std::ranges::count(commands[0], "/t/" + std::string(file.path)) == 1) << file.path;
  }
}

TEST(Toolchain, passes_the_options_of_the_request_after_its_own) {
  const auto command = module_command({.directory = "/t", .compiler = "cc"}, Variant::plain,
                                      "a.cpp", "a.so", {"-DN=4"});
  EXPECT_EQ(std::ranges::count(command, "-DN=4"), 1);
  EXPECT_EQ(std::ranges::count(command, "-shared"), 1);
}

}  // namespace
}  // namespace assay::simt
