#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/simt/bfloat16.hpp"
#include "assay/simt/fp8.hpp"
#include "assay/simt/half.hpp"
#include "assay/simt/launch.hpp"
#include "assay/simt_abi.h"

namespace assay::simt {

template <class T>
constexpr assay_simt_kind kind_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_void_v<U>) {
    return ASSAY_SIMT_VOID;
  } else if constexpr (std::is_pointer_v<U>) {
    return ASSAY_SIMT_POINTER;
  } else if constexpr (std::is_same_v<U, bool>) {
    return ASSAY_SIMT_BOOL;
  } else if constexpr (std::is_same_v<U, __half>) {
    return ASSAY_SIMT_HALF;
  } else if constexpr (std::is_same_v<U, __nv_bfloat16>) {
    return ASSAY_SIMT_BFLOAT16;
  } else if constexpr (std::is_same_v<U, __nv_fp8_e4m3>) {
    return ASSAY_SIMT_FP8_E4M3;
  } else if constexpr (std::is_same_v<U, __nv_fp8_e5m2>) {
    return ASSAY_SIMT_FP8_E5M2;
  } else if constexpr (std::is_floating_point_v<U>) {
    return ASSAY_SIMT_FLOAT;
  } else if constexpr (std::is_enum_v<U>) {
    return kind_of<std::underlying_type_t<U>>();
  } else if constexpr (std::is_integral_v<U>) {
    return std::is_signed_v<U> ? ASSAY_SIMT_SIGNED : ASSAY_SIMT_UNSIGNED;
  } else {
    return ASSAY_SIMT_STRUCT;
  }
}

template <class T>
constexpr assay_simt_param describe() {
  assay_simt_param param{};
  param.kind = kind_of<T>();
  param.size = sizeof(T);
  param.align = alignof(T);
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    param.pointee_kind = kind_of<Pointee>();
    if constexpr (!std::is_void_v<Pointee> && !std::is_function_v<Pointee>) {
      param.pointee_size = sizeof(Pointee);
    }
    param.pointee_const = std::is_const_v<Pointee>;
  }
  return param;
}

template <class Function>
struct Signature;
template <class... P>
struct Signature<void (*)(P...)> {
  using Values = std::tuple<std::remove_cv_t<P>...>;
  static constexpr std::size_t kCount = sizeof...(P);
  // One more than the parameters, because C++ has no empty array.
  static constexpr std::array<assay_simt_param, kCount + 1> kParams = {
      describe<std::remove_cv_t<P>>()..., assay_simt_param{}};

  static Values load(void** arguments) { return load(arguments, std::index_sequence_for<P...>{}); }
  template <std::size_t... I>
  static Values load([[maybe_unused]] void** arguments, std::index_sequence<I...>) {
    return Values(*static_cast<const std::remove_cv_t<P>*>(arguments[I])...);
  }
};
template <class... P>
struct Signature<void (*)(P...) noexcept> : Signature<void (*)(P...)> {};

/// The kernels of this module, in the order of its source.
[[gnu::visibility("hidden")]] inline std::vector<const assay_simt_kernel*>& module_kernels() {
  static std::vector<const assay_simt_kernel*> kernels;
  return kernels;
}

/// Puts one kernel into the module's list; the translator declares one after each definition.
template <auto Kernel>
class [[gnu::visibility("hidden")]] KernelEntry {
 public:
  KernelEntry(const char* name, unsigned line)
      : kernel_{name, line, static_cast<std::uint32_t>(S::kCount), S::kParams.data(), &launch} {
    module_kernels().push_back(&kernel_);
  }

 private:
  using S = Signature<decltype(Kernel)>;
  struct Call {
    template <class... P>
    [[gnu::always_inline]] void operator()(const P&... p) const {
      Kernel(p...);
    }
  };

  static int launch(const assay_simt_kernel* self, const std::uint32_t grid[3],
                    const std::uint32_t block[3], std::uint64_t shared_bytes, void** arguments,
                    const assay_simt_launch_options* options, assay_simt_report* report) {
    using Loop = ThreadLoop<Call, typename S::Values>;
    const Call call;
    const auto values = S::load(arguments);
    const Loop loop{&call, &values};
    const LaunchSpec spec{.name = self->name,
                          .line = self->line,
                          .run = &Loop::run,
                          .closure = &loop,
                          .grid = dim3(grid[0], grid[1], grid[2]),
                          .block = dim3(block[0], block[1], block[2]),
                          .shared_bytes = shared_bytes,
                          .layout = &shared_layout,
                          .instrumented = kInstrumented};
    return assay_simt_launch(&spec, options, report);
  }

  assay_simt_kernel kernel_;
};

}  // namespace assay::simt

#define ASSAY_SIMT_JOIN_INNER(a, b) a##b
#define ASSAY_SIMT_JOIN(a, b) ASSAY_SIMT_JOIN_INNER(a, b)
/// Registers a kernel under `name`; the kernel comes last because its template arguments may hold
/// commas.
#define ASSAY_SIMT_KERNEL(name, line, ...)                                                \
  [[maybe_unused]] static const ::assay::simt::KernelEntry<&__VA_ARGS__> ASSAY_SIMT_JOIN( \
      assay_simt_kernel_, __COUNTER__)(name, line);

#define ASSAY_SIMT_MODULE()                                                                     \
  extern "C" [[gnu::visibility("default")]] const assay_simt_module* assay_simt_module_v1() {   \
    static const assay_simt_module module{ASSAY_SIMT_ABI_VERSION, ::assay::simt::kInstrumented, \
                                          ::assay::simt::module_kernels().size(),               \
                                          ::assay::simt::module_kernels().data()};              \
    return &module;                                                                             \
  }
