#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "assay/simt/launch.hpp"
#include "assay/simt/runtime_api.hpp"

// Launches of a kernel by its address: cudaLaunchKernel and its relatives.
namespace assay::simt {

template <class Function>
struct Signature;
template <class... P>
struct Signature<void (*)(P...)> {
  using Values = std::tuple<std::remove_cv_t<P>...>;
  static constexpr std::size_t kCount = sizeof...(P);

  /// Copies the parameters from where args[i] points to.
  static Values load(void** arguments) { return load(arguments, std::index_sequence_for<P...>{}); }
  template <std::size_t... I>
  static Values load([[maybe_unused]] void** arguments, std::index_sequence<I...>) {
    return Values(*static_cast<const std::remove_cv_t<P>*>(arguments[I])...);
  }
};
template <class... P>
struct Signature<void (*)(P...) noexcept> : Signature<void (*)(P...)> {};

template <class Function>
struct IndirectCall {
  Function function;
  template <class... P>
  void operator()(const P&... p) const {
    function(p...);
  }
};

template <class Function>
cudaError_t launch_pointer(const char* name, Function function, LaunchSpec spec,
                           const typename Signature<Function>::Values& values, bool cooperative) {
  using Loop = ThreadLoop<IndirectCall<Function>, typename Signature<Function>::Values>;
  const IndirectCall<Function> call{function};
  const Loop loop{&call, &values};
  spec = make_spec(name, nullptr, 0, loop, spec.grid, spec.block, spec.shared_bytes);
  return assay_simt_launch_from_host(&spec, cooperative);
}

/// Makes a kernel known by its address; the translator declares one for each kernel of a program
/// that takes addresses.
template <class Function>
class [[gnu::visibility("hidden")]] FunctionRegistration {
 public:
  FunctionRegistration(const char* name, Function function)
      : entry_{reinterpret_cast<const void*>(function), name, &shared_layout, &launch} {
    assay_simt_register_function(&entry_);
  }
  FunctionRegistration(const FunctionRegistration&) = delete;
  FunctionRegistration& operator=(const FunctionRegistration&) = delete;
  ~FunctionRegistration() { assay_simt_unregister_function(&entry_); }

 private:
  static int launch(const FunctionEntry& entry, LaunchSpec& spec, void** arguments,
                    bool cooperative) {
    const auto function = reinterpret_cast<Function>(const_cast<void*>(entry.address));
    return launch_pointer(entry.name, function, spec, Signature<Function>::load(arguments),
                          cooperative);
  }
  FunctionEntry entry_;
};

inline LaunchSpec bare_spec(dim3 grid, dim3 block, std::size_t shared_bytes) {
  LaunchSpec spec{};
  spec.grid = grid;
  spec.block = block;
  spec.shared_bytes = shared_bytes;
  return spec;
}

}  // namespace assay::simt

inline cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return assay_simt_launch_function(function, grid, block, arguments, shared_bytes, stream, false);
}
inline cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                               void** arguments, std::size_t shared_bytes = 0,
                                               cudaStream_t stream = nullptr) {
  return assay_simt_launch_function(function, grid, block, arguments, shared_bytes, stream, true);
}
template <class... P>
cudaError_t cudaLaunchKernel(void (*function)(P...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  const cudaError_t error = assay_simt_check_stream(stream);
  if (error != cudaSuccess) return error;
  return assay::simt::launch_pointer(
      "kernel", function, assay::simt::bare_spec(grid, block, shared_bytes),
      assay::simt::Signature<void (*)(P...)>::load(arguments), false);
}
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*function)(P...), dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  const cudaError_t error = assay_simt_check_stream(stream);
  if (error != cudaSuccess) return error;
  return assay::simt::launch_pointer("kernel", function,
                                     assay::simt::bare_spec(grid, block, shared_bytes),
                                     assay::simt::Signature<void (*)(P...)>::load(arguments), true);
}
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*function)(P...),
                               A&&... arguments) {
  const cudaError_t error = assay_simt_check_stream(config->stream);
  if (error != cudaSuccess) return error;
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      return assay_simt_remember(cudaErrorNotSupported);
    if (attribute.id == cudaLaunchAttributeCooperative)
      cooperative = attribute.val.cooperative != 0;
  }
  const typename assay::simt::Signature<void (*)(P...)>::Values values(
      static_cast<P>(std::forward<A>(arguments))...);
  return assay::simt::launch_pointer(
      "kernel", function,
      assay::simt::bare_spec(config->gridDim, config->blockDim, config->dynamicSmemBytes), values,
      cooperative);
}

#define ASSAY_SIMT_JOIN_INNER(a, b) a##b
#define ASSAY_SIMT_JOIN(a, b) ASSAY_SIMT_JOIN_INNER(a, b)
#define ASSAY_SIMT_FUNCTION(name, ...)                                                      \
  [[maybe_unused]] static const ::assay::simt::FunctionRegistration<decltype(&__VA_ARGS__)> \
      ASSAY_SIMT_JOIN(assay_simt_function_, __COUNTER__)(name, &__VA_ARGS__);
