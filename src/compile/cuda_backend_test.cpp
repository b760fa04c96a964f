#include "compile/cuda_backend.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/testkit/checkout.hpp"
#include "compile/backend.hpp"
#include "compile/build_record.hpp"
#include "compile/cuda_toolkit.hpp"
#include "compile/nvcc_entry.hpp"
#include "compile/testkit/cuda_headers.hpp"
#include "compile/testkit/fake_compiler.hpp"
#include "device/cubin.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr ComputeCapability kHopper{9, 0};

/// Compiles with the NVRTC of this host, for a GPU that need not be there.
class CudaBackendTest : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "NVRTC would run inside this program, and is not made for its sanitizer";
#endif
    std::vector<fs::path> roots;
    if (const char* home = std::getenv("HOME"))
      roots.push_back(fs::path(home) / ".cache/assay/python");
    auto toolkit = find_cuda_toolkit(roots);
    if (!toolkit) GTEST_SKIP() << toolkit.error().message();
    missing_ = missing_package(*toolkit);
    auto backend = CudaBackend::open({.toolkit = std::move(*toolkit),
                                      .device = kHopper,
                                      .executable = fs::read_symlink("/proc/self/exe")},
                                     jails_for_tests(), clock_);
    ASSERT_TRUE(backend) << backend.error().message();
    backend_ = std::move(*backend);
  }

  Compilation compile(const Kernel& kernel) {
    const fs::path folder = testkit::build_dir() / "compile-tests";
    fs::create_directories(folder);
    directory_ = TempDir::create(folder, "cuda-").value();
    fs::permissions(directory_.path(),
                    fs::perms::others_read | fs::perms::others_exec | fs::perms::group_read |
                        fs::perms::group_exec,
                    fs::perm_options::add);
    const Deadline deadline(clock_, std::chrono::minutes(1));
    return backend_->compile(kernel, directory_.path(), deadline, {}).value();
  }

  CompiledKernel compiled(const Kernel& kernel) {
    Compilation made = compile(kernel);
    const auto* verdict = std::get_if<Verdict>(&made.record);
    EXPECT_EQ(verdict, nullptr) << reason_of(*verdict);
    return verdict == nullptr ? std::get<CompiledKernel>(std::move(made.record)) : CompiledKernel{};
  }

  std::string rejected(const Kernel& kernel) {
    const Compilation made = compile(kernel);
    const auto* verdict = std::get_if<Verdict>(&made.record);
    const auto* log = verdict == nullptr ? nullptr : std::get_if<DidNotCompile>(verdict);
    EXPECT_NE(log, nullptr);
    return log == nullptr ? "" : log->log;
  }

  static std::vector<std::uint32_t> kinds(const CompiledKernel& kernel) {
    const std::string bytes = read_file(kernel.module).value();
    std::vector<std::uint32_t> kinds;
    const auto signature = device::Cubin::open(bytes).value().signature().value();
    for (const auto& parameter : signature) kinds.push_back(parameter.kind);
    return kinds;
  }

  SystemClock clock_;
  std::optional<std::string> missing_;
  std::unique_ptr<CudaBackend> backend_;
  TempDir directory_ = TempDir::create(fs::temp_directory_path(), "unused-").value();
};

TEST_F(CudaBackendTest, extern_c_kernel_keeps_its_name_and_tells_its_parameters) {
  const CompiledKernel made = compiled(
      {.source = "extern \"C\" __global__ void add(const float* a, float* b, unsigned char n, "
                 "double s, bool flag) { b[n] = a[n] * (float)s; }"});
  EXPECT_EQ(made.entry, "add");
  EXPECT_THAT(made.compiler, HasSubstr("NVRTC"));
  EXPECT_EQ(kinds(made), (std::vector<std::uint32_t>{0, 0, 2, 3, 4}));
}

TEST_F(CudaBackendTest, template_is_instantiated_by_its_name_expression) {
  const CompiledKernel made =
      compiled({.source = "#include <cuda_fp16.h>\n"
                          "namespace ns { template <class T, int K> __global__ void scale(T* x, "
                          "long n, __half h) { x[n] *= K; } }",
                .metadata = {.kernel_name = "scale", .name_expressions = {"ns::scale<float, 4>"}}});
  EXPECT_THAT(made.entry, HasSubstr("scale"));
  EXPECT_EQ(kinds(made), (std::vector<std::uint32_t>{0, 1, 5}));
}

TEST_F(CudaBackendTest, the_first_kernel_is_the_first_that_conditionals_keep) {
  const std::string source =
      "#if defined(OLD) || __CUDA_ARCH__ < 900\n"
      "extern \"C\" __global__ void z(int* y) { *y = 1; }\n"
      "#else\nextern \"C\" __global__ void f(int* y) { *y = 2; }\n#endif\n";
  EXPECT_EQ(compiled({.source = source}).entry, "f");
  EXPECT_EQ(compiled({.source = source, .metadata = {.kernel_name = "f"}}).entry, "f");
  EXPECT_EQ(compiled({.source = source, .metadata = {.compiler_options = {"-DOLD"}}}).entry, "z");
}

TEST_F(CudaBackendTest, numbers_that_nvcc_knows_without_a_header_are_known) {
  compiled({.source =
                "#define M_PI 3.14159f\n"
                "__global__ void k(float* x, int n) { x[n] = n < INT_MAX ? -INFINITY : FLT_MAX; "
                "x[0] = NAN + M_PI * (float)M_E; }"});
}

TEST_F(CudaBackendTest, headers_of_the_c_library_and_options_work) {
  const CompiledKernel made = compiled(
      {.source = "#include <cstdint>\n#include <cmath>\n#include <limits>\n#include <algorithm>\n"
                 "#include <cassert>\n#include <cstdio>\n"
                 "__global__ void k(float* x, uint32_t n) { assert(n < N);\n"
                 "  x[n] = std::max(std::sqrt(x[n]), std::numeric_limits<float>::lowest()) * "
                 "(float)M_PI; }",
       .metadata = {.compiler_options = {"-DN=100", "--use_fast_math", "-O3"}}});
  EXPECT_EQ(kinds(made), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_THAT(made.log, HasSubstr("'-O3' has no effect"));
}

TEST_F(CudaBackendTest, limits_have_the_types_that_the_c_library_gives_them) {
  compiled({.source =
                "#include <climits>\n#include <type_traits>\n"
                "static_assert(std::is_same<decltype(LONG_MAX), long>::value);\n"
                "static_assert(std::is_same<decltype(ULONG_MAX), unsigned long>::value);\n"
                "static_assert(std::is_same<decltype(ULLONG_MAX), unsigned long long>::value);\n"
                "__global__ void k(float* x) {}"});
}

TEST_F(CudaBackendTest, headers_of_cccl_agree_with_those_of_the_c_library) {
  if (missing_) GTEST_SKIP() << *missing_;
  const CompiledKernel made =
      compiled({.source = "#include <cstdint>\n#include <cmath>\n#include <climits>\n"
                          "#include <cub/cub.cuh>\n#include <cuda/std/cstdint>\n"
                          "__global__ void sum(const float* x, float* y, cuda::std::int64_t n) {\n"
                          "  using Reduce = cub::BlockReduce<float, 128>;\n"
                          "  __shared__ typename Reduce::TempStorage storage;\n"
                          "  int64_t* same = &n;\n"
                          "  long* as_on_the_host = same;\n"
                          "  y[0] = *as_on_the_host < INT_MAX ? Reduce(storage).Sum(x[0]) : NAN;\n"
                          "}"});
  EXPECT_EQ(kinds(made), (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_EQ(made.log, "");
}

TEST_F(CudaBackendTest, spills_are_told_and_the_log_stays_free_of_the_report) {
  const auto kernel = [](const std::string& bounds) {
    return Kernel{.source =
                      "__global__ void " + bounds +
                      " k(float* x, int n) {\n  float t[64];\n"
                      "  #pragma unroll\n  for (int i = 0; i < 64; ++i) t[i] = x[i * n];\n"
                      "  __syncthreads();\n  float s = 0;\n"
                      "  #pragma unroll\n  for (int i = 0; i < 64; ++i) s += t[i] * t[63 - i];\n"
                      "  #pragma unroll\n  for (int i = 0; i < 64; ++i) x[i * n] = t[i] * s;\n}"};
  };
  const CompiledKernel tight = compiled(kernel("__launch_bounds__(1024, 2)"));
  ASSERT_TRUE(tight.spills);
  EXPECT_GT(tight.spills->store_bytes, 0);
  EXPECT_GT(tight.spills->load_bytes, 0);
  EXPECT_EQ(tight.log, "");
  const CompiledKernel roomy = compiled(kernel("__launch_bounds__(128, 1)"));
  ASSERT_TRUE(roomy.spills);
  EXPECT_EQ(roomy.spills->store_bytes, 0);
}

TEST_F(CudaBackendTest, artifacts_are_made_where_they_are_wanted) {
  Kernel kernel{.source = "__global__ void k(float* x) { x[threadIdx.x] *= 2; }"};
  EXPECT_TRUE(compiled(kernel).artifacts.empty());
  kernel.artifacts = {.ptx = true, .sass = true};
  const CompiledKernel made = compiled(kernel);
  ASSERT_EQ(made.artifacts.size(), 2U);
  EXPECT_EQ(made.artifacts[0].name, "ptx");
  EXPECT_THAT(made.artifacts[0].text, HasSubstr(".visible .entry _Z1kPf("));
  EXPECT_EQ(made.artifacts[1].name, "sass");
  if (made.artifacts[1].absent) GTEST_SKIP() << *made.artifacts[1].absent;
  EXPECT_THAT(made.artifacts[1].text, HasSubstr("EXIT"));
}

TEST_F(CudaBackendTest, host_functions_beside_the_kernel_do_not_matter) {
  const CompiledKernel made = compiled(
      {.source = "__global__ void k(int* x) { x[0] = 1; }\n"
                 "void launch(int* x) { k<<<1, 1>>>(x); }\nint main() { launch(nullptr); }\n"});
  EXPECT_EQ(made.entry, "_Z1kPi");
}

TEST_F(CudaBackendTest, error_names_the_submitted_line_and_no_path_of_ours) {
  const std::string log = rejected({.source = "__global__ void k(int* x) {\n  x[0] = missing;\n}"});
  EXPECT_THAT(log, HasSubstr("kernel.cu(2): error: identifier \"missing\" is undefined"));
  EXPECT_EQ(log.find(directory_.path().string()), std::string::npos);
}

TEST_F(CudaBackendTest, missing_kernel_header_or_option_is_rejected_with_the_reason) {
  EXPECT_THAT(rejected({.source = "int x;"}), HasSubstr("no __global__ function"));
  EXPECT_THAT(rejected({.source = "__global__ void k() {}", .metadata = {.kernel_name = "other"}}),
              HasSubstr("no kernel 'other'"));
  EXPECT_THAT(rejected({.source = "__global__ void k() {}",
                        .metadata = {.compiler_options = {"--options-file=/etc/passwd"}}}),
              HasSubstr("not among the options"));
}

TEST_F(CudaBackendTest, overloaded_kernel_compiles_without_telling_its_parameters) {
  const CompiledKernel made = compiled(
      {.source = "template <class T> __global__ void k(T* x) { x[0] = T(1); }\n"
                 "#define MAKE(name) __global__ void name(int* x) { x[0] = 2; }\nMAKE(made)",
       .metadata = {.kernel_name = "k<int>"}});
  EXPECT_THAT(made.entry, HasSubstr("1kIiE"));
}

TEST_F(CudaBackendTest, fingerprint_depends_on_the_architecture) {
  auto toolkit = find_cuda_toolkit({fs::path(std::getenv("HOME")) / ".cache/assay/python"}).value();
  const auto other = CudaBackend::open({.toolkit = std::move(toolkit),
                                        .device = {8, 0},
                                        .executable = fs::read_symlink("/proc/self/exe")},
                                       jails_for_tests(), clock_)
                         .value();
  EXPECT_NE(other->fingerprint(), backend_->fingerprint());
}

TEST(CudaBackend, library_that_is_no_nvrtc_is_not_found) {
  const SystemClock clock;
  const auto backend = CudaBackend::open(
      {.toolkit = {.nvrtc = "/usr/lib/no-nvrtc.so", .builtins = "/usr/lib/no-nvrtc.so"},
       .device = kHopper,
       .executable = fs::read_symlink("/proc/self/exe")},
      jails_for_tests(), clock);
  ASSERT_FALSE(backend);
  EXPECT_EQ(backend.error().code(), ErrorCode::not_found);
}

TEST(NvccEntry, module_that_is_none_has_no_entry) {
  EXPECT_FALSE(entry_in("no cubin", "k"));
}

}  // namespace
}  // namespace assay::compile
