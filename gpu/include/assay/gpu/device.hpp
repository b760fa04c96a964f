// What the device side of a split CUDA source gets before its first line, under NVRTC: the types
// of torch that kernels are instantiated with, computing as torch's own do.
#pragma once

// torch's headers bring these along, and sources rely on it.
#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>
#include <stdint.h>

namespace c10 {

#define ASSAY_GPU_FLOAT16(NAME, STORAGE, TO_FLOAT, FROM_FLOAT)     \
  struct alignas(2) NAME {                                         \
    STORAGE value;                                                 \
    NAME() = default;                                              \
    __device__ NAME(float number) : value(FROM_FLOAT(number)) {}   \
    __device__ NAME(const STORAGE& other) : value(other) {}        \
    __device__ operator float() const {                            \
      return TO_FLOAT(value);                                      \
    }                                                              \
    __device__ operator STORAGE() const {                          \
      return value;                                                \
    }                                                              \
  };                                                               \
  inline __device__ NAME operator+(const NAME& a, const NAME& b) { \
    return NAME(float(a) + float(b));                              \
  }                                                                \
  inline __device__ NAME operator-(const NAME& a, const NAME& b) { \
    return NAME(float(a) - float(b));                              \
  }                                                                \
  inline __device__ NAME operator*(const NAME& a, const NAME& b) { \
    return NAME(float(a) * float(b));                              \
  }                                                                \
  inline __device__ NAME operator/(const NAME& a, const NAME& b) { \
    return NAME(float(a) / float(b));                              \
  }                                                                \
  inline __device__ NAME operator-(const NAME& a) {                \
    return NAME(-float(a));                                        \
  }                                                                \
  inline __device__ NAME& operator+=(NAME& a, const NAME& b) {     \
    return a = a + b;                                              \
  }                                                                \
  inline __device__ NAME& operator-=(NAME& a, const NAME& b) {     \
    return a = a - b;                                              \
  }                                                                \
  inline __device__ NAME& operator*=(NAME& a, const NAME& b) {     \
    return a = a * b;                                              \
  }                                                                \
  inline __device__ NAME& operator/=(NAME& a, const NAME& b) {     \
    return a = a / b;                                              \
  }                                                                \
  inline __device__ float operator+(NAME a, float b) {             \
    return float(a) + b;                                           \
  }                                                                \
  inline __device__ float operator-(NAME a, float b) {             \
    return float(a) - b;                                           \
  }                                                                \
  inline __device__ float operator*(NAME a, float b) {             \
    return float(a) * b;                                           \
  }                                                                \
  inline __device__ float operator/(NAME a, float b) {             \
    return float(a) / b;                                           \
  }                                                                \
  inline __device__ float operator+(float a, NAME b) {             \
    return a + float(b);                                           \
  }                                                                \
  inline __device__ float operator-(float a, NAME b) {             \
    return a - float(b);                                           \
  }                                                                \
  inline __device__ float operator*(float a, NAME b) {             \
    return a * float(b);                                           \
  }                                                                \
  inline __device__ float operator/(float a, NAME b) {             \
    return a / float(b);                                           \
  }

ASSAY_GPU_FLOAT16(Half, __half, __half2float, __float2half)
ASSAY_GPU_FLOAT16(BFloat16, __nv_bfloat16, __bfloat162float, __float2bfloat16)
#undef ASSAY_GPU_FLOAT16

}  // namespace c10

namespace at {
using c10::BFloat16;
using c10::Half;
}  // namespace at

#include <assay/gpu/accessors.hpp>

namespace torch {
using namespace at;
}
