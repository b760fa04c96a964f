#include "simt/torch_extension.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simt/embedded.hpp"

namespace assay::simt {
namespace {

const Toolchain kToolchain{.directory = "/t", .compiler = "cc"};
const TorchPlace kTorch{
    .include = {"/torch/include", "/python"}, .library = "/torch/lib", .prepared = "/prepared"};

std::ptrdiff_t position(const Command& command, const std::string& word) {
  return std::ranges::find(command, word) - command.begin();
}

TEST(TorchExtension, finds_our_headers_before_those_of_torch) {
  const std::vector<std::filesystem::path> sources = {"a.cpp"};
  for (const Command& command :
       {torch_header_command(kToolchain, kTorch),
        torch_extension_command(kToolchain, kTorch, Variant::plain, sources, "a.so")}) {
    EXPECT_LT(position(command, "/prepared"), position(command, "/t/include_torch"));
    EXPECT_LT(position(command, "/t/include_torch"), position(command, "/torch/include"));
    EXPECT_LT(position(command, "/t/include"), position(command, "/torch/include"));
    EXPECT_LT(position(command, "/torch/include"), position(command, "/python"));
  }
}

TEST(TorchExtension, compiles_the_headers_with_the_flags_of_their_users) {
  const std::vector<std::filesystem::path> sources = {"a.cpp"};
  for (const Variant variant : {Variant::plain, Variant::instrumented}) {
    const Command header = torch_header_command(kToolchain, kTorch, variant);
    const Command user = torch_extension_command(kToolchain, kTorch, variant, sources, "a.so");
    for (const std::string& flag : header) {
      const bool own = flag == "c++-header" || flag == "-o" || flag == header.back() ||
                       flag == torch_header(kTorch, variant);
      EXPECT_TRUE(own || std::ranges::count(user, flag) >= 1) << flag;
    }
  }
  EXPECT_NE(torch_header(kTorch, Variant::plain), torch_header(kTorch, Variant::instrumented));
}

TEST(TorchExtension, links_every_source_into_one_library) {
  const std::vector<std::filesystem::path> sources = {"host.cpp", "kernels.cpp"};
  const Command command =
      torch_extension_command(kToolchain, kTorch, Variant::plain, sources, "a.so", {"-DN=4"});
  EXPECT_LT(position(command, "host.cpp"), position(command, "kernels.cpp"));
  EXPECT_LT(position(command, "kernels.cpp"), position(command, "/t/libassay_simt.so"));
  EXPECT_EQ(std::ranges::count(command, "-DN=4"), 1);
  EXPECT_EQ(std::ranges::count(command, "-shared"), 1);
}

TEST(TorchExtension, brings_the_headers_that_user_code_names) {
  for (const char* header :
       {"ATen/cuda/CUDAContext.h", "c10/cuda/CUDAStream.h", "c10/cuda/CUDAGuard.h",
        "c10/cuda/CUDAException.h", "assay/simt/torch_prelude.hpp"}) {
    EXPECT_TRUE(std::ranges::any_of(embedded_files(), [&](const EmbeddedFile& file) {
      return file.path == "include_torch/" + std::string(header);
    })) << header;
  }
}

}  // namespace
}  // namespace assay::simt
