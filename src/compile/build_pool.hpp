#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_cache.hpp"
#include "compile/build_record.hpp"
#include "compile/builder.hpp"
#include "compile/extension_builder.hpp"
#include "compile/work_area.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"

namespace assay::compile {

/// Of all code that decides what becomes of a source and what is said of its mistakes: this module,
/// and those it uses. The build makes it.
[[nodiscard]] std::string_view code_digest();

struct PoolSettings {
  std::size_t parallel = 2;                       // compilers at once
  std::chrono::seconds longest_build{600};        // whatever the deadlines of those who wait
  std::string code = std::string(code_digest());  // nothing is found that other code built
};

/// A backend that exists but cannot work here, and why: "no C++ compiler found: install g++".
struct MissingBackend {
  KernelType type;
  DeviceKind device;
  std::string reason;
};

/// All that can and cannot be built here.
struct BackendSet {
  std::vector<std::unique_ptr<ExtensionBuilder>> extensions;  // first: backends may use them
  std::vector<std::unique_ptr<Backend>> kernels;
  std::vector<MissingBackend> missing;
};

/// Builds on a bounded number of threads, each source once. Equal builds share one compiler run and
/// its cached result. A caller that leaves (deadline, stop) does not disturb the others. The
/// compiler is killed when the last one leaves.
class BuildPool final : public Builder {
 public:
  /// `cache`, `work` and `clock` outlive the pool.
  BuildPool(PoolSettings settings, BackendSet backends, BuildCache& cache, const WorkArea& work,
            const Clock& clock);
  ~BuildPool() override;
  BuildPool(const BuildPool&) = delete;
  BuildPool& operator=(const BuildPool&) = delete;
  BuildPool(BuildPool&&) = delete;
  BuildPool& operator=(BuildPool&&) = delete;

  [[nodiscard]] Result<void> prepare(KernelType type, DeviceKind device, const Deadline& deadline,
                                     const std::stop_token& stop) override;
  /// Also fails with `unavailable` when the deadline passes before a compiler could start.
  [[nodiscard]] std::string preparation(KernelType type, DeviceKind device) const override;
  [[nodiscard]] Result<BuildOutcome> build(const Kernel& kernel, DeviceKind device,
                                           const Deadline& deadline,
                                           const std::stop_token& stop) override;
  [[nodiscard]] Result<BuildOutcome> build_extensions(const std::vector<ExtensionCall>& calls,
                                                      DeviceKind device, const Deadline& deadline,
                                                      const std::stop_token& stop) override;
  [[nodiscard]] BuildStats stats() const override;

 private:
  /// Compiles into an empty directory, as Backend::compile does.
  using Work =
      std::function<Result<Compilation>(const std::filesystem::path& directory,
                                        const Deadline& deadline, const std::stop_token& stop)>;
  /// What to build: equal keys, equal results.
  struct Order {
    Digest key;
    std::filesystem::path support_dir;
    Work work;
  };
  /// A build that somebody waits for. Everything that changes is guarded by `mutex_`.
  struct Flight {
    const Order order;
    std::stop_source stop;  // requested when nobody waits any more
    int waiters = 0;
    bool started = false;
    std::optional<Result<BuildOutcome>> outcome;
  };
  // Shared by those who wait and the thread that builds: any of them may be the last to look.
  using FlightPtr = std::shared_ptr<Flight>;

  [[nodiscard]] Backend* backend_for(KernelType type, DeviceKind device) const;
  [[nodiscard]] Unsupported no_backend(KernelType type, DeviceKind device) const;
  [[nodiscard]] ExtensionBuilder* extensions_for(DeviceKind device) const;
  [[nodiscard]] Result<BuildOutcome> build_once(Order order, const Deadline& deadline,
                                                const std::stop_token& stop);
  [[nodiscard]] FlightPtr board(Order order);
  [[nodiscard]] Result<BuildOutcome> await(const FlightPtr& flight, const Deadline& deadline,
                                           const std::stop_token& stop);
  void leave(const FlightPtr& flight) ASSAY_REQUIRES(mutex_);

  void work_until(const std::stop_token& stop);
  [[nodiscard]] FlightPtr next(const std::stop_token& stop);
  [[nodiscard]] Result<BuildOutcome> perform(const Flight& flight);
  [[nodiscard]] Result<BuildRecord> compile(const Flight& flight);
  void land(const FlightPtr& flight, Result<BuildOutcome> outcome);
  [[nodiscard]] std::optional<BuildOutcome> cached(const Order& order);

  const PoolSettings settings_;
  const BackendSet backends_;
  BuildCache& cache_;
  const WorkArea& work_;
  const Clock& clock_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<Digest, FlightPtr> flights_ ASSAY_GUARDED_BY(mutex_);
  std::deque<FlightPtr> queue_ ASSAY_GUARDED_BY(mutex_);  // not started, oldest first
  BuildStats stats_ ASSAY_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace assay::compile
