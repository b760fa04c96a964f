#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/verdict.hpp"

namespace assay::compile {

/// A kernel ready to run, or the submission's fate: did_not_compile, unsupported or timed_out.
using BuildOutcome = std::variant<BuiltKernel, Verdict>;

struct BuildStats {
  std::uint64_t builds = 0;      // compilers really run
  std::uint64_t failures = 0;    // of those, the source's fault
  std::uint64_t cache_hits = 0;  // answered from the cache, remembered failures included
  std::uint64_t joined = 0;      // waited for an equal build already under way
  double seconds = 0;            // spent in compilers, summed
  double shortest = 0;           // of those runs, in seconds
  double longest = 0;
};

/// Makes kernels ready to run, away from any device. Safe to call from several threads at once.
class Builder {
 public:
  Builder() = default;
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  Builder(Builder&&) = delete;
  Builder& operator=(Builder&&) = delete;
  virtual ~Builder() = default;

  /// Waits for what every build of such kernels needs, for example headers compiled beforehand.
  /// That is our own work, which no request pays for. Fails only for reasons of ours; `cancelled`
  /// when stopped.
  [[nodiscard]] virtual Result<void> prepare(KernelType type, DeviceKind device,
                                             const Deadline& deadline,
                                             const std::stop_token& stop) = 0;
  /// What `prepare` makes the first time it is called on a machine, for people: "compiling CUDA
  /// headers, first time only, about 20 s on an idle machine". Empty if there is nothing to make.
  [[nodiscard]] virtual std::string preparation(KernelType, DeviceKind) const { return {}; }
  /// Fails as `prepare` does.
  [[nodiscard]] virtual Result<BuildOutcome> build(const Kernel& kernel, DeviceKind device,
                                                   const Deadline& deadline,
                                                   const std::stop_token& stop) = 0;
  /// Builds all that a Python kernel passed to load_inline while it ran, as one module. Prepared as
  /// for torch_cuda; fails as `prepare` does.
  [[nodiscard]] virtual Result<BuildOutcome> build_extensions(
      const std::vector<ExtensionCall>& calls, DeviceKind device, const Deadline& deadline,
      const std::stop_token& stop) = 0;
  [[nodiscard]] virtual BuildStats stats() const = 0;
};

}  // namespace assay::compile
