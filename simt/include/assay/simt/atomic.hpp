#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "assay/simt/engine.hpp"

// Always inlined: a report then has the line of the user's call.
#define ASSAY_SIMT_INLINE [[gnu::always_inline]] inline

namespace assay::simt {

/// An atomic that changed nothing may be a poll. After some in a row the other threads get a turn.
/// Without that a lock held by one of them would never be freed.
ASSAY_SIMT_INLINE void polled(bool in_vain) {
  unsigned& spins = assay_simt_context.spins;
  if (!in_vain) {
    spins = 0;
  } else if (++spins >= 16) [[unlikely]] {
    spins = 0;
    assay_simt_yield();
  }
}

template <unsigned Bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using type = std::uint8_t;
};
template <>
struct WordOf<2> {
  using type = std::uint16_t;
};
template <>
struct WordOf<4> {
  using type = std::uint32_t;
};
template <>
struct WordOf<8> {
  using type = std::uint64_t;
};

template <class To, class From>
To bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof to);
  return to;
}

/// Read, change, write back, as one step: `change` maps the old value to the new one.
template <class T, class Change>
ASSAY_SIMT_INLINE T update(T* address, Change change) {
  using Word = typename WordOf<sizeof(T)>::type;
  auto* word = reinterpret_cast<Word*>(address);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    const T before = bits<T>(old);
    const Word wanted = bits<Word>(change(before));
    if (__atomic_compare_exchange_n(word, &old, wanted, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      polled(wanted == old);
      return before;
    }
  }
}

template <class T>
ASSAY_SIMT_INLINE T fetch_add(T* address, std::type_identity_t<T> value) {
  if constexpr (std::is_integral_v<T>) {
    polled(value == 0);
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
  } else {
    return update(address, [value](T old) { return static_cast<T>(old + value); });
  }
}

template <class T>
ASSAY_SIMT_INLINE T exchange(T* address, std::type_identity_t<T> value) {
  using Word = typename WordOf<sizeof(T)>::type;
  const Word wanted = bits<Word>(value);
  const Word old = __atomic_exchange_n(reinterpret_cast<Word*>(address), wanted, __ATOMIC_SEQ_CST);
  polled(old == wanted);
  return bits<T>(old);
}

template <class T>
ASSAY_SIMT_INLINE T compare_and_swap(T* address, std::type_identity_t<T> compare,
                                     std::type_identity_t<T> value) {
  using Word = typename WordOf<sizeof(T)>::type;
  Word old = bits<Word>(compare);
  const bool swapped =
      __atomic_compare_exchange_n(reinterpret_cast<Word*>(address), &old, bits<Word>(value), false,
                                  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  polled(!swapped);
  return bits<T>(old);
}

}  // namespace assay::simt

// Each function also has the _block and _system forms; a wider scope than asked for is always
// right.
#define ASSAY_SIMT_ATOMIC(name, T, operation)              \
  ASSAY_SIMT_INLINE T name(T* address, T value) {          \
    return operation;                                      \
  }                                                        \
  ASSAY_SIMT_INLINE T name##_block(T* address, T value) {  \
    return operation;                                      \
  }                                                        \
  ASSAY_SIMT_INLINE T name##_system(T* address, T value) { \
    return operation;                                      \
  }

#define ASSAY_SIMT_ADD(T) ASSAY_SIMT_ATOMIC(atomicAdd, T, assay::simt::fetch_add(address, value))
ASSAY_SIMT_ADD(int)
ASSAY_SIMT_ADD(unsigned)
ASSAY_SIMT_ADD(unsigned long long)
ASSAY_SIMT_ADD(float)
ASSAY_SIMT_ADD(double)
#undef ASSAY_SIMT_ADD

#define ASSAY_SIMT_SUB(T) \
  ASSAY_SIMT_ATOMIC(atomicSub, T, assay::simt::fetch_add(address, static_cast<T>(0 - value)))
ASSAY_SIMT_SUB(int)
ASSAY_SIMT_SUB(unsigned)
#undef ASSAY_SIMT_SUB

#define ASSAY_SIMT_MIN_MAX(T)                                                   \
  ASSAY_SIMT_ATOMIC(atomicMin, T, assay::simt::update(address, [value](T old) { \
                      return value < old ? value : old;                         \
                    }))                                                         \
  ASSAY_SIMT_ATOMIC(atomicMax, T, assay::simt::update(address, [value](T old) { \
                      return old < value ? value : old;                         \
                    }))
ASSAY_SIMT_MIN_MAX(int)
ASSAY_SIMT_MIN_MAX(unsigned)
ASSAY_SIMT_MIN_MAX(long long)
ASSAY_SIMT_MIN_MAX(unsigned long long)
#undef ASSAY_SIMT_MIN_MAX

#define ASSAY_SIMT_BITS(name, T, symbol)                                   \
  ASSAY_SIMT_ATOMIC(name, T, assay::simt::update(address, [value](T old) { \
                      return static_cast<T>(old symbol value);             \
                    }))
#define ASSAY_SIMT_ALL_BITS(T)     \
  ASSAY_SIMT_BITS(atomicAnd, T, &) \
  ASSAY_SIMT_BITS(atomicOr, T, |)  \
  ASSAY_SIMT_BITS(atomicXor, T, ^)
ASSAY_SIMT_ALL_BITS(int)
ASSAY_SIMT_ALL_BITS(unsigned)
ASSAY_SIMT_ALL_BITS(unsigned long long)
#undef ASSAY_SIMT_ALL_BITS
#undef ASSAY_SIMT_BITS

ASSAY_SIMT_ATOMIC(atomicInc, unsigned, assay::simt::update(address, [value](unsigned old) {
                    return old >= value ? 0 : old + 1;
                  }))
ASSAY_SIMT_ATOMIC(atomicDec, unsigned, assay::simt::update(address, [value](unsigned old) {
                    return old == 0 || old > value ? value : old - 1;
                  }))

#define ASSAY_SIMT_EXCH(T) ASSAY_SIMT_ATOMIC(atomicExch, T, assay::simt::exchange(address, value))
ASSAY_SIMT_EXCH(int)
ASSAY_SIMT_EXCH(unsigned)
ASSAY_SIMT_EXCH(unsigned long long)
ASSAY_SIMT_EXCH(float)
#undef ASSAY_SIMT_EXCH
#undef ASSAY_SIMT_ATOMIC

#define ASSAY_SIMT_CAS_AS(name, T)                                 \
  ASSAY_SIMT_INLINE T name(T* address, T compare, T value) {       \
    return assay::simt::compare_and_swap(address, compare, value); \
  }
#define ASSAY_SIMT_CAS(T)               \
  ASSAY_SIMT_CAS_AS(atomicCAS, T)       \
  ASSAY_SIMT_CAS_AS(atomicCAS_block, T) \
  ASSAY_SIMT_CAS_AS(atomicCAS_system, T)
ASSAY_SIMT_CAS(unsigned short)
ASSAY_SIMT_CAS(int)
ASSAY_SIMT_CAS(unsigned)
ASSAY_SIMT_CAS(unsigned long long)
#undef ASSAY_SIMT_CAS
#undef ASSAY_SIMT_CAS_AS

// Vectors are added part by part, each atomically; CUDA promises no more.
ASSAY_SIMT_INLINE float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
ASSAY_SIMT_INLINE float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
          atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}
#undef ASSAY_SIMT_INLINE
