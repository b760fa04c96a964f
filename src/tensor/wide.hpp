#pragma once

namespace assay::tensor {

/// Before a function: it is compiled for AVX-512, with all that it calls. Loops over elements
/// become several times faster. Only to be called if `has_wide_registers`.
#if defined(__x86_64__) && defined(__GNUC__)
#define ASSAY_WIDE \
  [[gnu::flatten, gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]]
#else
#define ASSAY_WIDE
#endif

/// Whether this processor has what ASSAY_WIDE asks for.
[[nodiscard]] inline bool has_wide_registers() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool kHas = __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return kHas;
#else
  return false;
#endif
}

}  // namespace assay::tensor
