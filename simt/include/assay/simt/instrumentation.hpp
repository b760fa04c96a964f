#pragma once

// In an instrumented module the compiler puts a call before every load and store that may reach
// memory of other threads. The names are ThreadSanitizer's. They are defined here and hidden, so
// they stay inside the module. They pass everything on to the runtime.
#if defined(__SANITIZE_THREAD__)

#include <cstddef>
#include <cstdint>

#include "assay/simt/engine.hpp"

#define ASSAY_SIMT_HOOK \
  extern "C" [[gnu::no_sanitize_thread, gnu::used, gnu::visibility("hidden")]] inline
#define ASSAY_SIMT_ACCESS(name, bytes, flags)                                           \
  ASSAY_SIMT_HOOK void name(void* address) {                                            \
    assay_simt_access(address, bytes, assay::simt::flags, __builtin_return_address(0)); \
  }
#define ASSAY_SIMT_ACCESSES(bytes)                                     \
  ASSAY_SIMT_ACCESS(__tsan_read##bytes, bytes, kRead)                  \
  ASSAY_SIMT_ACCESS(__tsan_write##bytes, bytes, kWrite)                \
  ASSAY_SIMT_ACCESS(__tsan_volatile_read##bytes, bytes, kVolatileRead) \
  ASSAY_SIMT_ACCESS(__tsan_volatile_write##bytes, bytes, kVolatileWrite)
#define ASSAY_SIMT_UNALIGNED(bytes)                                           \
  ASSAY_SIMT_ACCESS(__tsan_unaligned_read##bytes, bytes, kBytesRead)          \
  ASSAY_SIMT_ACCESS(__tsan_unaligned_write##bytes, bytes, kBytesWrite)        \
  ASSAY_SIMT_ACCESS(__tsan_unaligned_volatile_read##bytes, bytes, kBytesRead) \
  ASSAY_SIMT_ACCESS(__tsan_unaligned_volatile_write##bytes, bytes, kBytesWrite)

ASSAY_SIMT_ACCESSES(1)
ASSAY_SIMT_ACCESSES(2)
ASSAY_SIMT_ACCESSES(4)
ASSAY_SIMT_ACCESSES(8)
ASSAY_SIMT_ACCESSES(16)
ASSAY_SIMT_UNALIGNED(2)
ASSAY_SIMT_UNALIGNED(4)
ASSAY_SIMT_UNALIGNED(8)
ASSAY_SIMT_UNALIGNED(16)
#undef ASSAY_SIMT_UNALIGNED
#undef ASSAY_SIMT_ACCESSES
#undef ASSAY_SIMT_ACCESS

ASSAY_SIMT_HOOK void __tsan_read_range(void* address, unsigned long bytes) {
  assay_simt_access(address, bytes, assay::simt::kBytesRead, __builtin_return_address(0));
}
ASSAY_SIMT_HOOK void __tsan_write_range(void* address, unsigned long bytes) {
  assay_simt_access(address, bytes, assay::simt::kBytesWrite, __builtin_return_address(0));
}
ASSAY_SIMT_HOOK void __tsan_init() {}
ASSAY_SIMT_HOOK void __tsan_vptr_update(void**, void*) {}
ASSAY_SIMT_HOOK void __tsan_vptr_read(void**) {}
ASSAY_SIMT_HOOK void __tsan_func_entry(void*) {}
ASSAY_SIMT_HOOK void __tsan_func_exit() {}

#define ASSAY_SIMT_RMW(bits, T, name)                                                    \
  ASSAY_SIMT_HOOK T __tsan_atomic##bits##_##name(volatile void* address, T value, int) { \
    assay_simt_access(const_cast<void*>(address), bits / 8, assay::simt::kAtomic,        \
                      __builtin_return_address(0));                                      \
    return __atomic_##name(static_cast<volatile T*>(address), value, __ATOMIC_SEQ_CST);  \
  }
#define ASSAY_SIMT_CAS(bits, T, name)                                                             \
  ASSAY_SIMT_HOOK bool __tsan_atomic##bits##_compare_exchange_##name(                             \
      volatile void* address, void* expected, T value, int, int) {                                \
    assay_simt_access(const_cast<void*>(address), bits / 8, assay::simt::kAtomic,                 \
                      __builtin_return_address(0));                                               \
    return __atomic_compare_exchange_n(static_cast<volatile T*>(address),                         \
                                       static_cast<T*>(expected), value, false, __ATOMIC_SEQ_CST, \
                                       __ATOMIC_SEQ_CST);                                         \
  }
#define ASSAY_SIMT_ATOMICS(bits, T)                                                         \
  ASSAY_SIMT_HOOK T __tsan_atomic##bits##_load(const volatile void* address, int) {         \
    assay_simt_access(const_cast<void*>(address), bits / 8, assay::simt::kAtomicLoad,       \
                      __builtin_return_address(0));                                         \
    return __atomic_load_n(static_cast<const volatile T*>(address), __ATOMIC_SEQ_CST);      \
  }                                                                                         \
  ASSAY_SIMT_HOOK void __tsan_atomic##bits##_store(volatile void* address, T value, int) {  \
    assay_simt_access(const_cast<void*>(address), bits / 8, assay::simt::kAtomicStore,      \
                      __builtin_return_address(0));                                         \
    __atomic_store_n(static_cast<volatile T*>(address), value, __ATOMIC_SEQ_CST);           \
  }                                                                                         \
  ASSAY_SIMT_HOOK T __tsan_atomic##bits##_exchange(volatile void* address, T value, int) {  \
    assay_simt_access(const_cast<void*>(address), bits / 8, assay::simt::kAtomic,           \
                      __builtin_return_address(0));                                         \
    return __atomic_exchange_n(static_cast<volatile T*>(address), value, __ATOMIC_SEQ_CST); \
  }                                                                                         \
  ASSAY_SIMT_RMW(bits, T, fetch_add)                                                        \
  ASSAY_SIMT_RMW(bits, T, fetch_sub)                                                        \
  ASSAY_SIMT_RMW(bits, T, fetch_and)                                                        \
  ASSAY_SIMT_RMW(bits, T, fetch_or)                                                         \
  ASSAY_SIMT_RMW(bits, T, fetch_xor)                                                        \
  ASSAY_SIMT_RMW(bits, T, fetch_nand)                                                       \
  ASSAY_SIMT_CAS(bits, T, strong)                                                           \
  ASSAY_SIMT_CAS(bits, T, weak)
ASSAY_SIMT_ATOMICS(8, unsigned char)
ASSAY_SIMT_ATOMICS(16, unsigned short)
ASSAY_SIMT_ATOMICS(32, unsigned int)
ASSAY_SIMT_ATOMICS(64, unsigned long)
#undef ASSAY_SIMT_ATOMICS
#undef ASSAY_SIMT_CAS
#undef ASSAY_SIMT_RMW

ASSAY_SIMT_HOOK void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
ASSAY_SIMT_HOOK void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
#undef ASSAY_SIMT_HOOK

#endif
