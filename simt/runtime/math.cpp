// Functions of the C library that promise less than CUDA's. Modules are linked with --wrap for
// each, which turns their calls into calls of these.
#include <cmath>

namespace {

/// Seven bits and the sign of the quotient, as CUDA gives them; the C standard asks for three.
template <class T, class Wide>
T remainder_and_quotient(T x, T y, int* quotient) {
  const T rest = std::remainder(x, y);
  const Wide whole =
      std::nearbyint((static_cast<Wide>(x) - static_cast<Wide>(rest)) / static_cast<Wide>(y));
  const bool usable = std::isfinite(whole);
  *quotient = usable ? static_cast<int>(std::fmod(whole, static_cast<Wide>(1 << 30))) : 0;
  return rest;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// The C library's is off by up to four units in the last place, CUDA's by one.
double __wrap_cbrt(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double guess = std::cbrt(x);
  return guess - std::fma(guess * guess, guess, -x) / (3 * guess * guess);
}

float __wrap_remquof(float x, float y, int* quotient) {
  return remainder_and_quotient<float, double>(x, y, quotient);
}

double __wrap_remquo(double x, double y, int* quotient) {
  return remainder_and_quotient<double, long double>(x, y, quotient);
}
}
#pragma GCC visibility pop
