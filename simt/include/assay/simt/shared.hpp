#pragma once

#include <cstddef>
#include <type_traits>

#include "assay/simt/engine.hpp"

namespace assay::simt {

/// The static shared memory of this module. Hidden, so that each module counts its own.
[[gnu::visibility("hidden")]] inline SharedLayout shared_layout;

/// Enters the variables of one declaration, as its assay_fields() lists them, into the layout.
class FieldVisitor {
 public:
  explicit FieldVisitor(unsigned base) : base_(base) {}
  void operator()(SharedVariable& variable) {
    variable.offset += base_;
    variable.next = shared_layout.variables;
    shared_layout.variables = &variable;
  }

 private:
  unsigned base_;
};

// In instrumented modules an index just past an array must not fall into the next one.
#if defined(__SANITIZE_THREAD__)
inline constexpr unsigned kGap = 64;
#else
inline constexpr unsigned kGap = 0;
#endif

/// Where the variables of one __shared__ declaration lie. `T` is the local struct that the
/// translator makes of the declaration, so each instance of a template has its own.
template <class T>
struct [[gnu::visibility("hidden")]] SharedSlot {
  static unsigned reserve() {
    constexpr unsigned kAlign = alignof(T) < 16 ? 16 : alignof(T);
    const unsigned offset = (shared_layout.bytes + kAlign - 1) / kAlign * kAlign;
    shared_layout.bytes = offset + sizeof(T) + kGap;
    FieldVisitor visitor(offset);
    T::assay_fields(visitor);
    return offset;
  }
  static inline const unsigned offset = reserve();
};

template <class T>
[[gnu::always_inline]] inline T& shared_variables() {
  static_assert(sizeof(T) <= 227 * 1024, "more shared memory than a block can have");
  return *reinterpret_cast<T*>(assay_simt_context.shared + SharedSlot<T>::offset);
}

/// The dynamic shared memory of the block, as elements of T.
template <class T>
[[gnu::always_inline]] inline T* dynamic_shared([[maybe_unused]] const char* name) {
#if defined(__SANITIZE_THREAD__)
  assay_simt_name_dynamic_shared(name, sizeof(std::remove_all_extents_t<T>));
#endif
  return reinterpret_cast<T*>(assay_simt_context.dynamic_shared);
}

}  // namespace assay::simt

#define ASSAY_SIMT_FIELD(type, field, line, function)           \
  static ::assay::simt::SharedVariable assay_##field{           \
      #field,                                                   \
      __builtin_offsetof(type, field),                          \
      sizeof(type::field),                                      \
      sizeof(std::remove_all_extents_t<decltype(type::field)>), \
      line,                                                     \
      function,                                                 \
      nullptr};                                                 \
  assay_visit(assay_##field);
