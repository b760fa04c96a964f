#include "simt/torch_extension.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/embedded_file.hpp"
#include "simt/embedded.hpp"
#include "simt/toolchain.hpp"

namespace assay::simt {
namespace {

const Toolchain kToolchain{.directory = "/t", .compiler = "cc"};
const TorchPlace kTorch{
    .include = {"/torch/include", "/python"}, .library = "/torch/lib", .prepared = "/prepared"};

std::ptrdiff_t position(const Command& command, const std::string& word) {
  return std::ranges::find(command, word) - command.begin();
}

Command object_command(Variant variant, TorchHeaders headers) {
  return torch_object_command(kToolchain, kTorch, variant, headers, "a.cpp", "a.o", {"-DN=4"});
}

TEST(TorchExtension, finds_our_headers_before_those_of_torch) {
  for (const Command& command :
       {torch_header_command(kToolchain, kTorch, Variant::plain, TorchHeaders::lean),
        object_command(Variant::plain, TorchHeaders::all)}) {
    EXPECT_LT(position(command, "/prepared"), position(command, "/t/include_torch"));
    EXPECT_LT(position(command, "/t/include_torch"), position(command, "/torch/include"));
    EXPECT_LT(position(command, "/t/include"), position(command, "/torch/include"));
    EXPECT_LT(position(command, "/torch/include"), position(command, "/python"));
  }
}

TEST(TorchExtension, compiles_the_headers_with_the_flags_of_their_users) {
  for (const Variant variant : {Variant::plain, Variant::instrumented}) {
    for (const TorchHeaders headers : {TorchHeaders::few, TorchHeaders::lean, TorchHeaders::all}) {
      const Command header = torch_header_command(kToolchain, kTorch, variant, headers);
      const Command user = object_command(variant, headers);
      for (const std::string& flag : header) {
        const bool own = flag == "c++-header" || flag == "-o" || flag == header.back() ||
                         flag == torch_header(kTorch, variant, headers);
        EXPECT_TRUE(own || std::ranges::count(user, flag) >= 1) << flag;
      }
      EXPECT_EQ(*(std::ranges::find(user, "-include") + 1), "assay/simt/torch_prelude.hpp");
    }
  }
  const auto place = [](Variant variant, TorchHeaders headers) {
    return torch_header(kTorch, variant, headers);
  };
  EXPECT_NE(place(Variant::plain, TorchHeaders::lean),
            place(Variant::instrumented, TorchHeaders::lean));
  EXPECT_NE(place(Variant::plain, TorchHeaders::lean), place(Variant::plain, TorchHeaders::few));
  EXPECT_EQ(place(Variant::plain, TorchHeaders::lean), place(Variant::plain, TorchHeaders::all));
}

TEST(TorchExtension, compiles_one_source_with_its_options) {
  const Command command = object_command(Variant::plain, TorchHeaders::lean);
  EXPECT_EQ(std::ranges::count(command, "-DN=4"), 1);
  EXPECT_EQ(command.back(), "a.cpp");
  EXPECT_EQ(*(std::ranges::find(command, "-o") + 1), "a.o");
}

TEST(TorchExtension, writes_what_a_source_sees) {
  const Command few = torch_text_command(kToolchain, kTorch, TorchHeaders::few, "few.i");
  EXPECT_EQ(*(std::ranges::find(few, "-o") + 1), "few.i");
  EXPECT_EQ(std::ranges::count(few, "/t/include_torch_few"), 1);
  EXPECT_EQ(std::ranges::count(few, kTorchBinding), 1);
  const Command all = torch_text_command(kToolchain, kTorch, TorchHeaders::all, "all.i");
  EXPECT_EQ(std::ranges::count(all, "/t/include_torch_few"), 0);
  EXPECT_EQ(std::ranges::count(all, "assay/simt/torch_all.hpp"), 1);
}

TEST(TorchExtension, links_every_object_into_one_library) {
  const std::vector<std::filesystem::path> objects = {"host.o", "kernels.o"};
  const Command command = torch_link_command(kToolchain, kTorch, Variant::plain, objects, "a.so");
  EXPECT_LT(position(command, "host.o"), position(command, "kernels.o"));
  EXPECT_LT(position(command, "kernels.o"), position(command, "/t/libassay_simt.so"));
  EXPECT_EQ(std::ranges::count(command, "-shared"), 1);
}

TEST(TorchExtension, hides_the_rest_of_torch_where_lean_headers_are_asked_for) {
  const Command lean = object_command(Variant::plain, TorchHeaders::lean);
  EXPECT_LT(position(lean, "/t/include_torch_lean"), position(lean, "/torch/include"));
  EXPECT_EQ(std::ranges::count(lean, "assay/torch/binding.hpp"), 1);
  const Command few = object_command(Variant::plain, TorchHeaders::few);
  EXPECT_LT(position(few, "/t/include_torch_few"), position(few, "/t/include_torch"));
  EXPECT_EQ(std::ranges::count(few, "assay/torch/binding.hpp"), 1);
  EXPECT_EQ(std::ranges::count(lean, "/t/include_torch_few"), 0);
  const Command all = object_command(Variant::plain, TorchHeaders::all);
  EXPECT_EQ(std::ranges::count(all, "/t/include_torch_lean"), 0);
  EXPECT_EQ(std::ranges::count(all, "assay/simt/torch_all.hpp"), 1);
}

TEST(TorchExtension, links_what_stands_in_for_pybind11) {
  const Command binding = torch_binding_command(kToolchain, kTorch);
  EXPECT_EQ(*(std::ranges::find(binding, "-o") + 1), "/prepared/binding.o");
  const std::vector<std::filesystem::path> objects = {"a.o"};
  const Command link = torch_link_command(kToolchain, kTorch, Variant::plain, objects, "a.so");
  EXPECT_EQ(std::ranges::count(link, torch_binding_object("/prepared").string()), 1);
}

TEST(TorchExtension, brings_the_headers_that_user_code_names) {
  for (const char* header :
       {"ATen/cuda/CUDAContext.h", "c10/cuda/CUDAStream.h", "c10/cuda/CUDAGuard.h",
        "c10/cuda/CUDAException.h", "assay/simt/torch_prelude.hpp", "assay/simt/torch_all.hpp",
        "assay/torch/binding.hpp", "assay/torch/binding.cpp"}) {
    EXPECT_TRUE(std::ranges::any_of(embedded_files(), [&](const EmbeddedFile& file) {
      return file.path == "include_torch/" + std::string(header);
    })) << header;
  }
}

}  // namespace
}  // namespace assay::simt
