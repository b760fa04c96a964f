#include "compile/cuda_toolkit.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

void make(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << file.string();
}

class CudaToolkitTest : public testing::Test {
 protected:
  fs::path at(const std::string& path) const { return fs::canonical(root_.path()) / path; }

  TempDir root_ = TempDir::create(fs::temp_directory_path(), "toolkit-").value();
};

TEST_F(CudaToolkitTest, toolkit_of_the_system_is_found_with_its_compiler_and_cccl) {
  make(at("usr/local/cuda-13.0/lib64/libnvrtc.so.13.0.48"));
  fs::create_symlink("libnvrtc.so.13.0.48", at("usr/local/cuda-13.0/lib64/libnvrtc.so.13"));
  make(at("usr/local/cuda-13.0/lib64/libnvrtc-builtins.so.13.0.48"));
  make(at("usr/local/cuda-13.0/include/cuda_runtime.h"));
  make(at("usr/local/cuda-13.0/include/cccl/nv/target"));
  make(at("usr/local/cuda-13.0/bin/nvcc"));
  const auto toolkit = find_cuda_toolkit({}, at("")).value();
  EXPECT_EQ(toolkit.nvrtc, at("usr/local/cuda-13.0/lib64/libnvrtc.so.13.0.48"));
  EXPECT_EQ(toolkit.nvcc, at("usr/local/cuda-13.0/bin/nvcc"));
  EXPECT_EQ(toolkit.includes, (std::vector{at("usr/local/cuda-13.0/include"),
                                           at("usr/local/cuda-13.0/include/cccl")}));
}

TEST_F(CudaToolkitTest, packages_of_a_python_environment_serve_as_well) {
  const std::string packages = "env/lib/python3.11/site-packages/nvidia/";
  make(at(packages + "cu13/lib/libnvrtc.so.13"));
  make(at(packages + "cu13/lib/libnvrtc.alt.so.13"));
  make(at(packages + "cu13/lib/libnvrtc-builtins.so.13.0"));
  make(at(packages + "cu13/include/cuda_fp16.h"));
  const auto toolkit = find_cuda_toolkit({at("env")}, at("")).value();
  EXPECT_EQ(toolkit.nvrtc, at(packages + "cu13/lib/libnvrtc.so.13"));
  EXPECT_EQ(toolkit.includes, std::vector{at(packages + "cu13/include")});
  EXPECT_FALSE(toolkit.nvcc);
  EXPECT_FALSE(toolkit.nvdisasm);
}

TEST_F(CudaToolkitTest, disassembler_of_the_toolkit_or_of_triton_is_found) {
  const std::string packages = "env/lib/python3.11/site-packages/";
  make(at(packages + "nvidia/cu13/lib/libnvrtc.so.13"));
  make(at(packages + "nvidia/cu13/lib/libnvrtc-builtins.so.13.0"));
  make(at("usr/local/cuda/bin/nvdisasm"));
  EXPECT_EQ(find_cuda_toolkit({at("env")}, at("")).value().nvdisasm,
            at("usr/local/cuda/bin/nvdisasm"));
  make(at(packages + "triton/backends/nvidia/bin/nvdisasm"));
  EXPECT_EQ(find_cuda_toolkit({at("env")}, at("")).value().nvdisasm,
            at(packages + "triton/backends/nvidia/bin/nvdisasm"));
}

TEST_F(CudaToolkitTest, packages_of_cuda_12_lie_in_a_directory_each) {
  const std::string packages = "env/lib/python3.11/site-packages/nvidia/";
  make(at(packages + "cuda_nvrtc/lib/libnvrtc.so.12"));
  make(at(packages + "cuda_nvrtc/lib/libnvrtc-builtins.so.12.8"));
  make(at(packages + "cuda_runtime/include/cuda_runtime.h"));
  const auto toolkit = find_cuda_toolkit({at("env")}, at("")).value();
  EXPECT_EQ(toolkit.nvrtc, at(packages + "cuda_nvrtc/lib/libnvrtc.so.12"));
  EXPECT_EQ(toolkit.includes, std::vector{at(packages + "cuda_runtime/include")});
}

TEST_F(CudaToolkitTest, nothing_found_says_what_to_install) {
  const auto toolkit = find_cuda_toolkit({}, at(""));
  ASSERT_FALSE(toolkit);
  EXPECT_EQ(toolkit.error().code(), ErrorCode::not_found);
  EXPECT_NE(toolkit.error().message().find("--cuda-toolkit"), std::string::npos);
}

}  // namespace
}  // namespace assay::compile
