#pragma once

#include <cstdint>

// CUDA's vector types, with CUDA's sizes and alignments.
#define ASSAY_SIMT_VECTOR(base, scalar, align2, align4)                      \
  struct base##1 {                                                           \
    scalar x;                                                                \
  };                                                                         \
  struct __attribute__((aligned(align2))) base##2 {                          \
    scalar x, y;                                                             \
  };                                                                         \
  struct base##3 {                                                           \
    scalar x, y, z;                                                          \
  };                                                                         \
  struct __attribute__((aligned(align4))) base##4 {                          \
    scalar x, y, z, w;                                                       \
  };                                                                         \
  constexpr base##1 make_##base##1(scalar x) {                               \
    return {x};                                                              \
  }                                                                          \
  constexpr base##2 make_##base##2(scalar x, scalar y) {                     \
    return {x, y};                                                           \
  }                                                                          \
  constexpr base##3 make_##base##3(scalar x, scalar y, scalar z) {           \
    return {x, y, z};                                                        \
  }                                                                          \
  constexpr base##4 make_##base##4(scalar x, scalar y, scalar z, scalar w) { \
    return {x, y, z, w};                                                     \
  }

ASSAY_SIMT_VECTOR(char, signed char, 2, 4)
ASSAY_SIMT_VECTOR(uchar, unsigned char, 2, 4)
ASSAY_SIMT_VECTOR(short, short, 4, 8)
ASSAY_SIMT_VECTOR(ushort, unsigned short, 4, 8)
ASSAY_SIMT_VECTOR(int, int, 8, 16)
ASSAY_SIMT_VECTOR(uint, unsigned int, 8, 16)
ASSAY_SIMT_VECTOR(long, long, 16, 16)
ASSAY_SIMT_VECTOR(ulong, unsigned long, 16, 16)
ASSAY_SIMT_VECTOR(longlong, long long, 16, 16)
ASSAY_SIMT_VECTOR(ulonglong, unsigned long long, 16, 16)
ASSAY_SIMT_VECTOR(float, float, 8, 16)
ASSAY_SIMT_VECTOR(double, double, 16, 16)

#undef ASSAY_SIMT_VECTOR

struct dim3 {
  unsigned int x, y, z;

  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
