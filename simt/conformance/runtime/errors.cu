// What goes wrong, how it is reported, and that it does not spread.
#include <string>

#include "../conformance.hpp"

using conformance::Buffer;

__global__ void write_index(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}

/// What a launch of an impossible shape gives: CUDA 13 was seen to call it an invalid value, before
/// that it was an invalid configuration.
constexpr cudaError_t kBadShape =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;

/// The launch before this call must have been refused, and the buffer left alone.
static void expect_refused(const Buffer<int>& out, cudaError_t want) {
  EXPECT_EQ(cudaGetLastError(), want);
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EACH(out, [](std::size_t) { return static_cast<int>(0xA5A5A5A5u); });
}

CASE(too_many_threads_in_a_block) {
  Buffer<int> out(64);
  write_index<<<1, 1025>>>(out.ptr(), 64);
  expect_refused(out, kBadShape);
  write_index<<<1, dim3(32, 32, 2)>>>(out.ptr(), 64);
  expect_refused(out, kBadShape);
}

CASE(empty_grid_or_block) {
  Buffer<int> out(64);
  write_index<<<0, 64>>>(out.ptr(), 64);
  expect_refused(out, kBadShape);
  write_index<<<1, dim3(64, 0, 1)>>>(out.ptr(), 64);
  expect_refused(out, kBadShape);
}

CASE(block_too_deep_or_grid_too_high) {
  Buffer<int> out(64);
  write_index<<<1, dim3(1, 1, 65)>>>(out.ptr(), 64);
  EXPECT_TRUE(cudaGetLastError() != cudaSuccess);
  write_index<<<dim3(1, 65536), 1>>>(out.ptr(), 64);
  EXPECT_TRUE(cudaGetLastError() != cudaSuccess);
  expect_refused(out, cudaSuccess);
}

__global__ void with_shared(int* out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = scratch[threadIdx.x];
}

CASE(more_shared_memory_than_allowed) {
  Buffer<int> out(32);
  with_shared<<<1, 32, 200 * 1024>>>(out.ptr());  // no opt-in was asked for
  EXPECT_TRUE(cudaGetLastError() != cudaSuccess);
  expect_refused(out, cudaSuccess);
  EXPECT_TRUE(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   1 << 30) != cudaSuccess);
  EXPECT_TRUE(cudaGetLastError() != cudaSuccess);
}

CASE(peek_keeps_the_error_and_get_takes_it) {
  Buffer<int> out(64);
  write_index<<<1, 2000>>>(out.ptr(), 64);
  EXPECT_EQ(cudaPeekAtLastError(), kBadShape);
  EXPECT_EQ(cudaPeekAtLastError(), kBadShape);
  EXPECT_EQ(cudaGetLastError(), kBadShape);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  write_index<<<1, 64>>>(out.ptr(), 64);
  EXPECT_OK(cudaGetLastError());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i); });
}

CASE(later_calls_do_not_hide_an_earlier_error) {
  Buffer<int> out(64);
  write_index<<<1, 2000>>>(out.ptr(), 64);
  write_index<<<1, 64>>>(out.ptr(), 64);  // a good launch does not clear the error
  EXPECT_EQ(cudaGetLastError(), kBadShape);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i); });
}

CASE(bad_arguments_to_runtime_calls) {
  Buffer<int> out(16);
  int host[16];
  EXPECT_EQ(cudaMemcpy(nullptr, host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDevice(4711), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  write_index<<<1, 16>>>(out.ptr(), 16);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i); });
}

CASE(names_texts_and_numbers_of_errors) {
  EXPECT_EQ(std::string(cudaGetErrorName(cudaSuccess)), std::string("cudaSuccess"));
  EXPECT_EQ(std::string(cudaGetErrorString(cudaSuccess)), std::string("no error"));
  EXPECT_EQ(std::string(cudaGetErrorName(cudaErrorInvalidConfiguration)),
            std::string("cudaErrorInvalidConfiguration"));
  EXPECT_EQ(std::string(cudaGetErrorString(cudaErrorInvalidConfiguration)),
            std::string("invalid configuration argument"));
  EXPECT_EQ(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)),
            std::string("out of memory"));
  EXPECT_EQ(std::string(cudaGetErrorString(cudaErrorInvalidValue)),
            std::string("invalid argument"));
  EXPECT_EQ(static_cast<int>(cudaErrorInvalidValue), 1);
  EXPECT_EQ(static_cast<int>(cudaErrorMemoryAllocation), 2);
  EXPECT_EQ(static_cast<int>(cudaErrorInvalidConfiguration), 9);
  EXPECT_EQ(static_cast<int>(cudaErrorInvalidDevice), 101);
  EXPECT_EQ(static_cast<int>(cudaErrorNotReady), 600);
  EXPECT_EQ(static_cast<int>(cudaErrorIllegalAddress), 700);
  EXPECT_EQ(static_cast<int>(cudaErrorLaunchFailure), 719);
  Buffer<int> out(8);
  write_index<<<1, 8>>>(out.ptr(), 8);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i); });
}
