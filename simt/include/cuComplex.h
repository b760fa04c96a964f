#pragma once

#include <assay/simt/all.hpp>

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

#define ASSAY_SIMT_COMPLEX(C, T, make, real, imag, conj, add, sub, mul, div, length, mad) \
  inline C make(T x, T y) {                                                               \
    return {x, y};                                                                        \
  }                                                                                       \
  inline T real(C z) {                                                                    \
    return z.x;                                                                           \
  }                                                                                       \
  inline T imag(C z) {                                                                    \
    return z.y;                                                                           \
  }                                                                                       \
  inline C conj(C z) {                                                                    \
    return {z.x, -z.y};                                                                   \
  }                                                                                       \
  inline C add(C a, C b) {                                                                \
    return {a.x + b.x, a.y + b.y};                                                        \
  }                                                                                       \
  inline C sub(C a, C b) {                                                                \
    return {a.x - b.x, a.y - b.y};                                                        \
  }                                                                                       \
  inline C mul(C a, C b) {                                                                \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                \
  }                                                                                       \
  inline C div(C a, C b) {                                                                \
    /* Scaled, so that squares of large parts do not overflow. */                         \
    const T scale = T(1) / (std::fabs(b.x) + std::fabs(b.y));                             \
    const C p = {a.x * scale, a.y * scale}, q = {b.x * scale, b.y * scale};               \
    const T inverse = T(1) / (q.x * q.x + q.y * q.y);                                     \
    return {(p.x * q.x + p.y * q.y) * inverse, (p.y * q.x - p.x * q.y) * inverse};        \
  }                                                                                       \
  inline T length(C z) {                                                                  \
    return std::hypot(z.x, z.y);                                                          \
  }                                                                                       \
  inline C mad(C a, C b, C c) {                                                           \
    return {std::fma(-a.y, b.y, std::fma(a.x, b.x, c.x)),                                 \
            std::fma(a.y, b.x, std::fma(a.x, b.y, c.y))};                                 \
  }
ASSAY_SIMT_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf,
                   cuCsubf, cuCmulf, cuCdivf, cuCabsf, cuCfmaf)
ASSAY_SIMT_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd,
                   cuCsub, cuCmul, cuCdiv, cuCabs, cuCfma)
#undef ASSAY_SIMT_COMPLEX
inline cuComplex make_cuComplex(float x, float y) {
  return {x, y};
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return {double(z.x), double(z.y)};
}
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return {float(z.x), float(z.y)};
}
