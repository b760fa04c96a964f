#pragma once

#include <cstdio>
#include <ctime>
#include <type_traits>

// --- loads and stores with a cache hint, which here is only a hint ------------------------------
#define ASSAY_SIMT_LOAD(name) \
  template <class T>          \
  T name(const T* address) {  \
    return *address;          \
  }
ASSAY_SIMT_LOAD(__ldg)
ASSAY_SIMT_LOAD(__ldca)
ASSAY_SIMT_LOAD(__ldcg)
ASSAY_SIMT_LOAD(__ldcs)
ASSAY_SIMT_LOAD(__ldlu)
#undef ASSAY_SIMT_LOAD
/// Reads memory that another thread may be writing. The value must not come from a register.
template <class T>
T __ldcv(const T* address) {
  __asm__ volatile("" ::: "memory");
  return *address;
}
#define ASSAY_SIMT_STORE(name)                           \
  template <class T>                                     \
  void name(T* address, std::type_identity_t<T> value) { \
    *address = value;                                    \
  }
ASSAY_SIMT_STORE(__stcg)
ASSAY_SIMT_STORE(__stcs)
ASSAY_SIMT_STORE(__stwb)
ASSAY_SIMT_STORE(__stwt)
#undef ASSAY_SIMT_STORE

// --- clocks: nanoseconds count as cycles --------------------------------------------------------
inline long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}
/// What the translator makes of clock() in device code; the C library's counts microseconds.
inline long assay_simt_clock() {
  return static_cast<long>(clock64());
}

/// What the translator makes of printf() in device code.
template <class... Arguments>
int assay_simt_printf(const char* format, Arguments... arguments) {
  if (format == nullptr) return -1;
  std::printf(format, arguments...);
  return static_cast<int>(sizeof...(Arguments));
}
