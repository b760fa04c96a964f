#include "compile/python_backend.hpp"

#include <chrono>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "compile/build_record.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "python/interpreter.hpp"

namespace assay::compile {
namespace {

using ::testing::HasSubstr;

const python::Interpreter kPython{.program = "/opt/python",
                                  .version = "3.11.7",
                                  .torch = "2.11.0",
                                  .triton = {},
                                  .numpy = "2.2.6",
                                  .roots = {}};

TEST(PythonBackend, source_itself_is_the_module) {
  PythonBackend backend(KernelType::torch, DeviceKind::cpu, kPython);
  const SystemClock clock;
  const auto directory = std::filesystem::temp_directory_path();
  const auto compiled = backend.compile({.source = "x = 1", .type = KernelType::torch}, directory,
                                        Deadline(clock, std::chrono::seconds(1)), {});
  const auto& kernel = std::get<CompiledKernel>(compiled.value().record);
  EXPECT_EQ(kernel.compiler, "Python 3.11.7, torch 2.11.0");
  EXPECT_EQ(std::filesystem::file_size(kernel.module), 5U);
  std::filesystem::remove(kernel.module);
}

TEST(PythonBackend, another_torch_makes_another_fingerprint) {
  python::Interpreter newer = kPython;
  newer.torch = "2.12.0";
  EXPECT_NE(PythonBackend(KernelType::torch, DeviceKind::cpu, kPython).fingerprint(),
            PythonBackend(KernelType::torch, DeviceKind::cpu, newer).fingerprint());
}

TEST(PythonBackend, missing_package_is_named) {
  EXPECT_EQ(what_is_missing(kPython, KernelType::torch), "");
  EXPECT_THAT(what_is_missing(kPython, KernelType::triton), HasSubstr("has no triton"));
  python::Interpreter bare = kPython;
  bare.torch.clear();
  EXPECT_THAT(what_is_missing(bare, KernelType::multi_kernel), HasSubstr("has no torch"));
}

}  // namespace
}  // namespace assay::compile
