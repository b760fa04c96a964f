// printf, assert, trap in a branch not taken, clocks and compiler hints.
#include <algorithm>
#include <cassert>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "../conformance.hpp"

using conformance::Buffer;

/// What is printed between construction and text(): stdout goes to a file in the meantime.
class Captured {
 public:
  Captured() : saved_(dup(STDOUT_FILENO)), file_(std::tmpfile()) {
    std::fflush(stdout);
    dup2(fileno(file_), STDOUT_FILENO);
  }
  std::string text() {
    cudaDeviceSynchronize();
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    std::string all;
    std::rewind(file_);
    char buffer[256];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file_)) > 0;)
      all.append(buffer, n);
    std::fclose(file_);
    return all;
  }

 private:
  int saved_;
  std::FILE* file_;
};

__global__ void print_values() {
  printf("[%d|%u|%5d|%-4d|%x|%c|%s]", -5, 7u, 42, 3, 255, 'q', "text");
  printf("[%.3f|%e|%g|%lld|%llu|%%]\n", 1.5, 0.25, 1e10, -(1ll << 40), 1ull << 63);
}

CASE(printf_formats) {
  Captured captured;
  print_values<<<1, 1>>>();
  EXPECT_EQ(captured.text(),
            std::string("[-5|7|   42|3   |ff|q|text]"
                        "[1.500|2.500000e-01|1e+10|-1099511627776|9223372036854775808|%]\n"));
}

__global__ void print_index() {
  printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
}

CASE(printf_from_many_threads) {
  Captured captured;
  print_index<<<3, 40>>>();
  const std::string text = captured.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 120);
  for (int block = 0; block < 3; ++block) {
    for (int thread = 0; thread < 40; ++thread) {
      const std::string line =
          "thread " + std::to_string(thread) + " of block " + std::to_string(block) + "\n";
      EXPECT_TRUE(text.find(line) != std::string::npos);
    }
  }
}

__global__ void print_result(int* out) {
  out[0] = printf("three arguments %d %d %d\n", 1, 2, 3);
}

// The value is the number of arguments, not of characters as in C.
CASE(printf_returns_the_number_of_arguments) {
  Buffer<int> out(1);
  {
    Captured captured;
    print_result<<<1, 1>>>(out.ptr());
    EXPECT_EQ(captured.text(), std::string("three arguments 1 2 3\n"));
  }
  EXPECT_EACH(out, [](std::size_t) { return 3; });
}

__global__ void asserting(const int* in, int* out) {
  assert(in[threadIdx.x] >= 0 && "inputs are not negative");
  if (in[threadIdx.x] > 1000000) __trap();
  out[threadIdx.x] = in[threadIdx.x] + 1;
}

CASE(assert_that_holds_and_trap_not_reached) {
  Buffer<int> in(conformance::sequence<int>(64)), out(64);
  asserting<<<1, 64>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i) + 1; });
}

__global__ void clocks(long long* out, int rounds) {
  const long long start = clock64();
  const clock_t short_start = clock();
  double x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 0.5 + 1;
  __nanosleep(1000);
  const long long middle = clock64();
  const long long end = clock64();
  const clock_t short_end = clock();
  out[4 * threadIdx.x] = middle - start;
  out[4 * threadIdx.x + 1] = end - middle;
  out[4 * threadIdx.x + 2] = x > 1.9 ? 1 : 0;
  out[4 * threadIdx.x + 3] = static_cast<long long>(short_end - short_start);
}

CASE(clocks_move_forward) {
  Buffer<long long> out(4 * 32);
  clocks<<<1, 32>>>(out.ptr(), 1000);
  const std::vector<long long> ticks = out.host();
  for (int t = 0; t < 32; ++t) {
    EXPECT_TRUE(ticks[4 * t] > 0);
    EXPECT_TRUE(ticks[4 * t + 1] >= 0);
    EXPECT_EQ(ticks[4 * t + 2], 1ll);
    EXPECT_TRUE(ticks[4 * t + 3] != 0);
  }
}

__global__ void hints(const int* in, int* out, int n) {
  __builtin_assume(n > 0);
  int sum = 0;
#pragma unroll 4
  for (int i = 0; i < n; ++i) sum += in[i];
#pragma unroll 1
  for (int i = 0; i < 3; ++i) sum += i;
  for (int i = 0; i < 2; ++i) sum *= 2;
  if (__builtin_expect(sum < 0, 0)) __builtin_unreachable();
  int unused [[maybe_unused]] = sum;
  out[threadIdx.x] = sum;
}

CASE(compiler_hints) {
  Buffer<int> in(conformance::sequence<int>(10)), out(32);
  hints<<<1, 32>>>(in.ptr(), out.ptr(), 10);
  EXPECT_EACH(out, [](std::size_t) { return (45 + 3) * 4; });
}

__device__ int which_space(const void* p) {
  return (__isGlobal(p) ? 1 : 0) + (__isShared(p) ? 2 : 0) + (__isLocal(p) ? 4 : 0);
}

__device__ int a_global;

__global__ void spaces(int* out) {
  __shared__ int a_shared;
  int a_local = 0;
  out[0] = which_space(out);
  out[1] = which_space(&a_global);
  out[2] = which_space(&a_shared);
  out[3] = which_space(&a_local);
}

CASE(address_spaces_of_pointers) {
  Buffer<int> out(4);
  spaces<<<1, 1>>>(out.ptr());
  const int want[4] = {1, 1, 2, 4};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}
