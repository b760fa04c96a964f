#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/simt/bfloat16.hpp"
#include "assay/simt/fp8.hpp"
#include "assay/simt/function_launch.hpp"
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

/// One more than the parameters, because C++ has no empty array.
template <class... P>
constexpr std::array<assay_simt_param, sizeof...(P) + 1> describe_all(std::tuple<P...>*) {
  return {describe<P>()..., assay_simt_param{}};
}

/// The kernels of this module, in the order of its source.
[[gnu::visibility("hidden")]] inline std::vector<const assay_simt_kernel*>& module_kernels() {
  static std::vector<const assay_simt_kernel*> kernels;
  return kernels;
}

/// Puts one kernel into the module's list; the translator declares one after each definition.
template <auto Kernel>
class [[gnu::visibility("hidden")]] KernelEntry {
 public:
  KernelEntry(const char* name, const char* file, unsigned line)
      : kernel_{name, line, static_cast<std::uint32_t>(S::kCount), kParams.data(), &launch} {
    file_ = file;
    module_kernels().push_back(&kernel_);
  }

 private:
  using S = Signature<decltype(Kernel)>;
  static constexpr auto kParams = describe_all(static_cast<typename S::Values*>(nullptr));
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
    const LaunchSpec spec =
        make_spec(self->name, file_, self->line, loop, dim3(grid[0], grid[1], grid[2]),
                  dim3(block[0], block[1], block[2]), shared_bytes);
    return assay_simt_launch(&spec, options, report);
  }

  static inline const char* file_ = nullptr;
  assay_simt_kernel kernel_;
};

}  // namespace assay::simt

/// Registers a kernel under `name`; the kernel comes last because its template arguments may hold
/// commas.
#define ASSAY_SIMT_KERNEL(name, line, ...)                                                \
  [[maybe_unused]] static const ::assay::simt::KernelEntry<&__VA_ARGS__> ASSAY_SIMT_JOIN( \
      assay_simt_kernel_, __COUNTER__)(name, __FILE__, line);

#define ASSAY_SIMT_MODULE()                                                                     \
  extern "C" [[gnu::visibility("default")]] const assay_simt_module* assay_simt_module_v1() {   \
    static const assay_simt_module module{ASSAY_SIMT_ABI_VERSION, ::assay::simt::kInstrumented, \
                                          ::assay::simt::module_kernels().size(),               \
                                          ::assay::simt::module_kernels().data()};              \
    return &module;                                                                             \
  }
