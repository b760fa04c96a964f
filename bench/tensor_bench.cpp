// What making inputs and comparing answers takes on the processor. `Bytes` a second are of one
// core: the time is that of all threads together.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "ratio_reporter.hpp"
#include "tensor/distribution.hpp"
#include "tensor/generate.hpp"

namespace assay {
namespace {

constexpr std::int64_t kRows = 4096;
constexpr std::int64_t kColumns = 4096;
constexpr std::uint64_t kSeed = 42;

TensorArg tensor_of(TensorContent content) {
  return {.shape = {kRows, kColumns}, .dtype = DType::float32, .content = std::move(content)};
}

void make(benchmark::State& state, const TensorArg& tensor) {
  std::vector<std::byte> bytes(tensor.byte_size());
  for (auto _ : state) tensor::generate(tensor, kSeed, bytes);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

void make_uniform(benchmark::State& state) {
  make(state, tensor_of(Uniform{}));
}

void make_normal(benchmark::State& state) {
  make(state, tensor_of(Randn{}));
}

/// As programs without a library do it.
void make_normal_by_the_standard_library(benchmark::State& state) {
  std::vector<float> values(static_cast<std::size_t>(kRows * kColumns));
  std::mt19937 generator(kSeed);
  std::normal_distribution<float> normal;
  for (auto _ : state) {
    for (float& value : values) value = normal(generator);
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(values.size() * sizeof(float)));
}

void compare(benchmark::State& state) {
  const TensorArg tensor = tensor_of(Uniform{});
  std::vector<std::byte> bytes(tensor.byte_size());
  tensor::generate(tensor, kSeed, bytes);
  const std::vector<std::byte> same = bytes;
  const judge::OutputView got{.name = "output", .shape = tensor.shape, .bytes = bytes};
  const judge::OutputView want{.name = "output", .shape = tensor.shape, .bytes = same};
  const judge::Limit limit(Tolerance{.atol = 1e-4, .rtol = 1e-4});
  for (auto _ : state) benchmark::DoNotOptimize(judge::compare_elements(got, want, limit));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * bytes.size()));
}

void shift(benchmark::State& state) {
  const TensorArg tensor = tensor_of(Uniform{});
  std::vector<std::byte> bytes(tensor.byte_size());
  tensor::generate(tensor, kSeed, bytes);
  const tensor::Distribution shifted{.spread = tensor::Spread::shifted};
  for (auto _ : state) {
    tensor::transform(shifted, tensor.dtype, tensor.shape, kSeed, bytes);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

void copy(benchmark::State& state) {
  const std::vector<std::byte> from(static_cast<std::size_t>(kRows * kColumns) * sizeof(float));
  std::vector<std::byte> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(from.size()));
}

BENCHMARK(make_uniform)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(make_normal)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(make_normal_by_the_standard_library)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK(compare)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(shift)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(copy)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  return assay::bench::run_against("make_normal_by_the_standard_library", argc, argv);
}
