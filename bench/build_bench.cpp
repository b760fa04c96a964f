// What a build costs: the toolchain once, then a small kernel cold and cached.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include <benchmark/benchmark.h>

#include "base/clock.hpp"
#include "base/os.hpp"
#include "compile/build_system.hpp"
#include "compile/builder.hpp"
#include "model/device_info.hpp"
#include "model/outcome.hpp"
#include "process/jail_init.hpp"
#include "process/jail_support.hpp"
#include "ratio_reporter.hpp"

namespace assay::compile {
namespace {

constexpr std::string_view kReduction = R"(
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
)";

class Builds {
 public:
  /// A source of its own for each number. Ends the program where a build fails.
  void build(int number) {
    const std::string source = "// " + std::to_string(number) + std::string(kReduction);
    const auto outcome = system_->builder().build({.source = source}, DeviceKind::cpu,
                                                  Deadline(clock_, std::chrono::minutes(5)), {});
    if (outcome && std::holds_alternative<BuiltKernel>(*outcome)) return;
    std::fputs("a build failed\n", stderr);
    std::quick_exit(1);
  }

 private:
  SystemClock clock_;
  process::JailSupport jails_ = process::probe_jail_support();
  TempDir temp_ = TempDir::create("/tmp", "assay-bench-").value();
  std::unique_ptr<BuildSystem> system_ =
      BuildSystem::open({.data_dir = temp_.path()}, jails_, clock_).value();
};

void first_build_with_toolchain(benchmark::State& state) {
  for (auto _ : state) Builds().build(0);
}

void cold_build(benchmark::State& state) {
  Builds builds;
  int number = 0;
  builds.build(number);
  for (auto _ : state) builds.build(++number);
}

void cached_build(benchmark::State& state) {
  Builds builds;
  builds.build(0);
  for (auto _ : state) builds.build(0);
}

BENCHMARK(first_build_with_toolchain)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(cold_build)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(cached_build)->Iterations(500)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::compile

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == assay::process::kJailInitCommand) {
    return assay::process::jail_init_main(argc, argv);
  }
  return assay::bench::run_against("cold_build", argc, argv);
}
