#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/task.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "worker/client.hpp"

namespace assay::worker {

struct ProcessClientOptions {
  DeviceInfo device;
  std::vector<std::string> command;  // starts the worker; it finds its channel as descriptor 3
  std::vector<std::string> environment{};  // beside a minimal one
  /// Of the worker itself, not of its runners; nothing: as much as there is.
  std::optional<std::uint64_t> memory_bytes{};
};

/// Keeps one worker process. Replaces it when it has died, or when it had to be killed because it
/// did not stop an evaluation soon after it was told to. Its runners die with it.
class ProcessClient final : public Client {
 public:
  /// Starts the first worker, so that a device that cannot work is known at once.
  [[nodiscard]] static Result<std::unique_ptr<ProcessClient>> start(
      ProcessClientOptions options, const process::JailSupport& support, const Clock& clock,
      const Log& log);

  ProcessClient(const ProcessClient&) = delete;
  ProcessClient& operator=(const ProcessClient&) = delete;
  ~ProcessClient() override;

  [[nodiscard]] Result<EvaluationEnd> evaluate(const Task& task, const EvaluationListener& listener,
                                               const std::stop_token& stop) override;
  [[nodiscard]] const DeviceInfo& device() const override { return options_.device; }

 private:
  struct Worker {
    process::Subprocess process;
    process::FrameChannel channel;
  };
  /// What the worker said last, or why nothing more could be heard from it.
  using Answer = std::variant<EvaluationEnd, Error>;

  ProcessClient(ProcessClientOptions options, const process::JailSupport& support,
                const Clock& clock, const Log& log)
      : options_(std::move(options)), support_(support), clock_(clock), log_(log) {}
  [[nodiscard]] Result<void> ensure_worker() ASSAY_REQUIRES(mutex_);
  void end_worker() ASSAY_REQUIRES(mutex_);
  /// An Error is the end of the conversation; what the worker says of its task is an Answer.
  [[nodiscard]] Result<Answer> converse(const Task& task, const EvaluationListener& listener,
                                        const std::stop_token& stop) ASSAY_REQUIRES(mutex_);
  [[nodiscard]] Result<Answer> listen(Deadline deadline, std::chrono::nanoseconds budget,
                                      const EvaluationListener& listener,
                                      const std::stop_token& stop) ASSAY_REQUIRES(mutex_);

  ProcessClientOptions options_;
  const process::JailSupport& support_;
  const Clock& clock_;
  const Log& log_;
  Mutex mutex_;  // held for a whole evaluation: the device is leased to one
  std::optional<Worker> worker_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::worker
