#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "device/cupti.hpp"
#include "device/cupti_api.hpp"
#include "device/kernel_times.hpp"

namespace assay::device {

struct TraceOptions {
  /// 64 MiB, some 100,000 launches. What comes after is dropped, and counted.
  std::size_t max_buffers = 256;
};

/// Records what the device does for each call made between start() and stop(), through CUPTI's
/// activity records. The thread that starts it makes the calls. One at a time in a process.
class KernelTrace {
 public:
  /// Fails with `conflict` where another profiler of this process has CUPTI, and `unavailable`
  /// where CUPTI refuses. `cupti` outlives the trace.
  [[nodiscard]] static Result<KernelTrace> start(const Cupti& cupti,
                                                 const TraceOptions& options = {});
  ~KernelTrace();
  KernelTrace(KernelTrace&& other) noexcept;
  KernelTrace(const KernelTrace&) = delete;
  KernelTrace& operator=(const KernelTrace&) = delete;
  KernelTrace& operator=(KernelTrace&&) = delete;

  /// What is launched from here to end_call() belongs to the next call; calls are counted from 0.
  void begin_call();
  void end_call();
  /// The device must be idle: what still runs has no time yet. Ends the trace.
  [[nodiscard]] KernelRecording stop();

 private:
  explicit KernelTrace(const Cupti& cupti) : cupti_(&cupti) {}
  [[nodiscard]] Result<void> enable(const TraceOptions& options);
  [[nodiscard]] TraceTime now() const;
  void push_mark(std::uint64_t mark);
  void pop_mark(std::uint64_t mark);
  void end();

  const Cupti* cupti_;  // null once moved from
  cupti::Subscriber subscriber_ = nullptr;
  std::vector<cupti::Kind> kinds_;
  bool marked_ = false;
  bool in_call_ = false;
  KernelRecording recording_;
};

}  // namespace assay::device
