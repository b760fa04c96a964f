#include "compile/cuda_extension_toolchain.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/os.hpp"
#include "compile/toolchain.hpp"
#include "python/interpreter.hpp"
#include "simt/torch_extension.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

python::Interpreter interpreter() {
  python::Interpreter found;
  found.torch_directory = "/opt/torch";
  found.headers = "/usr/include/python3";
  return found;
}

TEST(CudaExtensionToolchain, compiles_the_prelude_and_what_extensions_are_linked_with) {
  auto directory = TempDir::create(fs::temp_directory_path(), "extension-toolchain-");
  ASSERT_TRUE(directory);
  const ToolchainRecipe recipe = extension_toolchain(interpreter(), {});
  ASSERT_TRUE(recipe.write_files(directory->path()));
  const auto runs = recipe.compiler_runs(directory->path());
  ASSERT_EQ(runs.size(), 6U);
  for (const auto& run : runs) {
    EXPECT_TRUE(fs::exists(run.back())) << run.back();
    const fs::path made = *(std::ranges::find(run, "-o") + 1);
    EXPECT_TRUE(fs::is_directory(made.parent_path())) << made;
  }
  EXPECT_TRUE(fs::exists(directory->path() / "include_torch_lean/torch/extension.h"));
  // simt's own stand for CUDA's, and must not be found here.
  EXPECT_FALSE(fs::exists(directory->path() / "include_torch/ATen"));
}

TEST(CudaExtensionToolchain, says_where_its_files_cannot_be_written) {
  const auto written = extension_toolchain(interpreter(), {}).write_files("/proc/none");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message().find("/proc/none"), std::string::npos);
}

TEST(CudaExtensionToolchain, another_torch_makes_another_toolchain) {
  python::Interpreter other = interpreter();
  other.torch = "0.1";
  EXPECT_NE(extension_toolchain(interpreter(), {}).fingerprint,
            extension_toolchain(other, {}).fingerprint);
}

TEST(CudaExtensionToolchain, jails_are_given_what_they_lack) {
  EXPECT_EQ(outside_usr({"/usr/include/python3", "/opt/torch"}),
            std::vector<fs::path>{"/opt/torch"});
  const auto flags = host_flags(interpreter(), {}, "/tools", simt::TorchHeaders::lean);
  EXPECT_EQ(std::ranges::count(flags, "/opt/torch/include"), 1);
  EXPECT_EQ(std::ranges::count(flags, "-I/tools/include"), 1);
}

TEST(CudaExtensionToolchain, few_headers_hide_those_of_torch) {
  const auto few = host_flags(interpreter(), {}, "/tools", simt::TorchHeaders::few);
  EXPECT_LT(std::ranges::find(few, "/tools/include_torch_few"),
            std::ranges::find(few, "/opt/torch/include"));
  const auto lean = host_flags(interpreter(), {}, "/tools", simt::TorchHeaders::lean);
  EXPECT_EQ(std::ranges::count(lean, "/tools/include_torch_few"), 0);
}

}  // namespace
}  // namespace assay::compile
