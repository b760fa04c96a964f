#include "compile/build_system.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/testkit/checkout.hpp"
#include "compile/builder.hpp"
#include "compile/testkit/fake_compiler.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/verdict.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAdd = R"(
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
)";

/// The host's real compiler. Its toolchain is kept from run to run: making it takes longest.
class BuildSystemTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const fs::path folder = testkit::build_dir() / "compile-tests";
    fs::create_directories(folder);
    temp_ = std::make_unique<TempDir>(TempDir::create(folder, "run-").value());
    system_ = BuildSystem::open(
                  {.data_dir = temp_->path() / "data", .toolchain_dir = testkit::kept_toolchains()},
                  jails_for_tests(), clock())
                  .value();
  }
  static void TearDownTestSuite() {
    system_.reset();
    temp_.reset();
  }
  static const Clock& clock() {
    static const SystemClock kClock;
    return kClock;
  }

  static Result<BuildOutcome> build(const std::string& source, KernelMetadata metadata = {},
                                    std::chrono::nanoseconds within = std::chrono::minutes(5)) {
    return system_->builder().build({.source = source, .metadata = std::move(metadata)},
                                    DeviceKind::cpu, Deadline(clock(), within), {});
  }
  static BackendStatus status_of(const BuildSystem& system, KernelType type) {
    return *std::ranges::find(system.describe(), type, &BackendStatus::type);
  }
  /// Why it did not compile; what became of it instead where it did.
  static std::string log_of(const Result<BuildOutcome>& outcome) {
    if (!outcome) return "ours: " + outcome.error().message();
    const auto* verdict = std::get_if<Verdict>(&*outcome);
    if (verdict == nullptr) return "built";
    const auto* failure = std::get_if<DidNotCompile>(verdict);
    return failure != nullptr ? failure->log : std::string(name_of(*verdict));
  }

  static std::unique_ptr<TempDir> temp_;
  static std::unique_ptr<BuildSystem> system_;
};

std::unique_ptr<TempDir> BuildSystemTest::temp_;
std::unique_ptr<BuildSystem> BuildSystemTest::system_;

TEST_F(BuildSystemTest, a_kernel_becomes_a_module_that_loads_and_is_cached) {
  const auto outcome = build(kAdd, {.compiler_options = {"-O2", "-arch=sm_90", "-DN=3"}});
  ASSERT_EQ(log_of(outcome), "built");
  const auto& built = std::get<BuiltKernel>(*outcome);
  EXPECT_EQ(built.entry, "add");
  EXPECT_THAT(built.compiler, ::testing::StartsWith("g++ "));
  EXPECT_THAT(built.compiler, EndsWith(" (simt)"));
  EXPECT_THAT(built.log, HasSubstr("'-arch=sm_90' has no effect"));
  EXPECT_GT(built.elapsed, std::chrono::nanoseconds(0));

  const fs::path runtime = built.support_dir / "libassay_simt.so";
  ASSERT_NE(::dlopen(runtime.c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr) << ::dlerror();
  void* const module = ::dlopen(built.module.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(module, nullptr) << ::dlerror();
  EXPECT_NE(::dlsym(module, "assay_simt_module_v1"), nullptr);

  const auto again = build(kAdd, {.compiler_options = {"-O2", "-arch=sm_90", "-DN=3"}});
  EXPECT_TRUE(std::get<BuiltKernel>(*again).cache_hit);
  EXPECT_EQ(std::get<BuiltKernel>(*again).module, built.module);
}

TEST_F(BuildSystemTest, an_error_is_told_by_the_users_line_without_our_paths) {
  const std::string source = "\n\n__global__ void k(float* x) { x[0] = undeclared; }\n";
  const auto before = system_->builder().stats();
  for (int i = 0; i < 2; ++i) {
    const std::string log = log_of(build(source));
    EXPECT_THAT(log, HasSubstr("kernel.cu:3:"));
    EXPECT_THAT(log, HasSubstr("undeclared"));
    EXPECT_THAT(log, Not(HasSubstr(temp_->path().string())));
  }
  EXPECT_EQ(system_->builder().stats().builds, before.builds + 1);
}

TEST_F(BuildSystemTest, files_of_the_host_are_not_there_to_be_included) {
  const fs::path secret = temp_->path() / "secret";
  std::ofstream(secret) << "hunter2 hunter2;\n";
  const std::string log = log_of(build("#include \"" + secret.string() + "\"\n" + kAdd));
  EXPECT_THAT(log, HasSubstr("No such file or directory"));
  EXPECT_THAT(log, Not(HasSubstr("hunter2")));
  const std::string shadow = log_of(build("#include \"/etc/shadow\"\n" + std::string(kAdd)));
  EXPECT_THAT(shadow, HasSubstr("No such file or directory"));
}

TEST_F(BuildSystemTest, an_undefined_function_is_an_error_of_the_build) {
  const std::string log =
      log_of(build("__device__ int absent(int);\n__global__ void k(int* x) { *x = absent(1); }\n"));
  EXPECT_THAT(log, HasSubstr("absent"));
  EXPECT_THAT(log, Not(HasSubstr("/tmp/")));
}

TEST_F(BuildSystemTest, compile_bombs_end_within_their_time_and_memory) {
  const std::string deep =
      "template <int N> struct A { static constexpr int v = A<N + 1>::v; };\nint x = A<0>::v;\n";
  EXPECT_THAT(log_of(build(deep + kAdd)), HasSubstr("template instantiation depth"));

  const auto start = clock().now();
  const std::string wide =
      "template <int N, int M> struct B { B<N - 1, 2 * M> l; B<N - 1, 2 * M + 1> r; };\n"
      "template <int M> struct B<0, M> { int x; };\nB<24, 0> *b = new B<24, 0>;\n";
  EXPECT_THAT(log_of(build(wide + kAdd, {}, seconds(3))),
              AnyOf("timed_out", HasSubstr("memory"), HasSubstr("terminated program")));
  EXPECT_LT(clock().now() - start, seconds(5));

  EXPECT_THAT(log_of(build("#include \"/dev/zero\"\n" + std::string(kAdd), {}, seconds(30))),
              AnyOf("timed_out", HasSubstr("memory"), HasSubstr("terminated program")));
}

TEST_F(BuildSystemTest, options_that_name_files_or_programs_do_not_reach_the_compiler) {
  EXPECT_THAT(log_of(build(kAdd, {.compiler_options = {"-fplugin=/tmp/x.so"}})),
              HasSubstr("'-fplugin=/tmp/x.so'"));
  EXPECT_EQ(log_of(build("#if N != 7\n#error N\n#endif\n" + std::string(kAdd),
                         {.compiler_options = {"-D", "N=7"}})),
            "built");
}

TEST_F(BuildSystemTest, says_what_it_builds_with) {
  const BackendStatus cuda = status_of(*system_, KernelType::cuda);
  EXPECT_TRUE(cuda.available);
  EXPECT_THAT(cuda.detail, HasSubstr("g++"));
  const BackendStatus torch = status_of(*system_, KernelType::torch);
  EXPECT_FALSE(torch.available);
  EXPECT_EQ(torch.detail, "not looked for");
}

TEST_F(BuildSystemTest, without_a_compiler_cuda_is_unsupported_and_says_so) {
  const auto bare = BuildSystem::open(
      {.data_dir = temp_->path() / "bare", .compiler = "/nowhere/g++"}, jails_for_tests(), clock());
  ASSERT_TRUE(bare);
  EXPECT_FALSE(status_of(**bare, KernelType::cuda).available);
  const auto outcome = (*bare)->builder().build({.source = kAdd}, DeviceKind::cpu,
                                                Deadline(clock(), seconds(1)), {});
  EXPECT_THAT(std::get<Unsupported>(std::get<Verdict>(outcome.value())).reason,
              HasSubstr("no C++ compiler at /nowhere/g++"));
}

TEST_F(BuildSystemTest, opening_fails_where_nothing_can_be_written) {
  std::ofstream(temp_->path() / "file") << "";
  EXPECT_FALSE(BuildSystem::open({.data_dir = temp_->path() / "file"}, jails_for_tests(), clock()));
}

}  // namespace
}  // namespace assay::compile
