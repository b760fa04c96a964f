#pragma once

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "assay/simt/engine.hpp"
#include "assay/simt/runtime_api.hpp"
#include "assay/simt/shared.hpp"

namespace assay::simt {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kInstrumented = true;
#else
inline constexpr bool kInstrumented = false;
#endif

/// The loop over threads of one kernel with its arguments. The arguments are copied to the fiber
/// first. Then the compiler knows that nothing the kernel writes can change them.
template <class Call, class Arguments>
struct ThreadLoop {
  const Call* call;
  const Arguments* arguments;

  static void run(const void* closure) {
    const auto& self = *static_cast<const ThreadLoop*>(closure);
    const Arguments arguments = *self.arguments;
    const Call& call = *self.call;
    run_threads([&]() __attribute__((always_inline)) { std::apply(call, arguments); });
  }
};

template <class Loop>
LaunchSpec make_spec(const char* name, const char* file, unsigned line, const Loop& loop, dim3 grid,
                     dim3 block, std::size_t shared_bytes) {
  return {.name = name,
          .line = line,
          .file = file,
          .run = &Loop::run,
          .closure = &loop,
          .pieces = {{&loop, sizeof loop},
                     {loop.call, sizeof *loop.call},
                     {loop.arguments, sizeof *loop.arguments}},
          .grid = grid,
          .block = block,
          .shared_bytes = shared_bytes,
          .layout = &shared_layout,
          .instrumented = kInstrumented};
}

template <class T>
PointerArgument pointer_argument(const T& argument) {
  if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) {
    using Pointee = std::remove_pointer_t<T>;
    if constexpr (std::is_void_v<Pointee>) {
      return {argument, 1};
    } else {
      return {argument, sizeof(Pointee)};
    }
  } else {
    return {nullptr, 0};
  }
}

/// `kernel<<<grid, block, shared, stream>>>(arguments)` as the translator writes it:
/// launcher(...).configure(grid, block, shared, stream)(arguments).
template <class Call>
class Launcher {
 public:
  Launcher(const char* name, const char* file, unsigned line, Call call)
      : name_(name), file_(file), line_(line), call_(std::move(call)) {}

  // Work is done when a launch returns, so every stream's order is kept.
  Launcher& configure(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                      cudaStream_t stream = nullptr) {
    stream_ = stream;
    grid_ = grid;
    block_ = block;
    shared_bytes_ = shared_bytes;
    return *this;
  }

  template <class... Arguments>
  void operator()(Arguments... arguments) {
    using Values = std::tuple<Arguments...>;
    const Values values(std::move(arguments)...);
    const ThreadLoop<Call, Values> loop{&call_, &values};
    if (assay_simt_check_stream(stream_) != cudaSuccess) return;
    LaunchSpec spec = make_spec(name_, file_, line_, loop, grid_, block_, shared_bytes_);
    if constexpr (kInstrumented && sizeof...(Arguments) > 0) {
      const auto pointers = std::apply(
          [](const Arguments&... a) { return std::array{pointer_argument(a)...}; }, values);
      spec.pointers = pointers.data();
      spec.pointer_count = pointers.size();
      assay_simt_launch_from_host(&spec, false);
    } else {
      assay_simt_launch_from_host(&spec, false);
    }
  }

 private:
  const char* name_;
  const char* file_;
  unsigned line_;
  Call call_;
  dim3 grid_;
  dim3 block_;
  std::size_t shared_bytes_ = 0;
  cudaStream_t stream_ = nullptr;
};

template <class Call>
Launcher<Call> launcher(const char* name, const char* file, unsigned line, Call call) {
  return Launcher<Call>(name, file, line, std::move(call));
}

}  // namespace assay::simt
