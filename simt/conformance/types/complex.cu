// cuComplex, in both precisions. All parts are small integers or powers of two.
#include <cuComplex.h>

#include "../conformance.hpp"

using conformance::Buffer;

__global__ void in_float(cuFloatComplex* out) {
  const cuFloatComplex a = make_cuFloatComplex(3, 4), b = make_cuComplex(0, 2);
  out[0] = cuCaddf(a, b);
  out[1] = cuCsubf(a, b);
  out[2] = cuCmulf(a, b);
  out[3] = cuCdivf(a, b);
  out[4] = cuConjf(a);
  out[5] = cuCfmaf(a, b, a);
  out[6] = make_cuFloatComplex(cuCabsf(a), cuCrealf(a) + cuCimagf(b));
}

__global__ void in_double(cuDoubleComplex* out) {
  const cuDoubleComplex a = make_cuDoubleComplex(3, 4);
  const cuDoubleComplex b = cuComplexFloatToDouble(make_cuFloatComplex(0, 2));
  out[0] = cuCadd(a, b);
  out[1] = cuCsub(a, b);
  out[2] = cuCmul(a, b);
  out[3] = cuCdiv(a, b);
  out[4] = cuConj(a);
  out[5] = cuCfma(a, b, a);
  out[6] = make_cuDoubleComplex(cuCabs(a), cuCreal(a) + cuCimag(b));
}

constexpr double kWant[7][2] = {{3, 6}, {3, 2}, {-8, 6}, {2, -1.5}, {3, -4}, {-5, 10}, {5, 5}};

CASE(arithmetic_of_floats) {
  Buffer<cuFloatComplex> out(7);
  in_float<<<1, 1>>>(out.ptr());
  const auto got = out.host();
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(static_cast<double>(got[i].x), kWant[i][0]);
    EXPECT_EQ(static_cast<double>(got[i].y), kWant[i][1]);
  }
}

CASE(arithmetic_of_doubles) {
  Buffer<cuDoubleComplex> out(7);
  in_double<<<1, 1>>>(out.ptr());
  const auto got = out.host();
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(got[i].x, kWant[i][0]);
    EXPECT_EQ(got[i].y, kWant[i][1]);
  }
}
