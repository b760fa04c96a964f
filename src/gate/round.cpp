#include "gate/round.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "gate/median.hpp"
#include "gate/page.hpp"
#include "gate/persisting_lines.hpp"
#include "gate/stage.hpp"

namespace assay::gate {
namespace {

namespace cuda = device::cuda;
using cuda::Status;
using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

constexpr int kEmptyLaunches = 16;

/// Two around launches that do nothing; then three for each call: two with nothing between them,
/// and one after it.
class Events {
 public:
  Events(const device::CudaDriver& driver, const RoundPlan& plan) : driver_(driver) {
    if (plan.events) events_.resize(kBefore + plan.calls * kEach);
    for (cuda::Event& event : events_) driver_.event_create(&event, cuda::kEventDefault);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  Events(Events&&) = delete;
  Events& operator=(Events&&) = delete;
  ~Events() {
    for (cuda::Event event : events_) driver_.event_destroy(event);
  }

  Status record(std::uint32_t call, std::size_t which, cuda::Stream stream) {
    return events_.empty() ? cuda::kSuccess
                           : driver_.event_record(events_[kBefore + call * kEach + which], stream);
  }

  Status launch_nothing(const Stage& stage, cuda::Stream stream) {
    if (events_.empty()) return cuda::kSuccess;
    Status status = driver_.event_record(events_[0], stream);
    for (int i = 0; i < kEmptyLaunches && status == cuda::kSuccess; ++i) {
      status = stage.launch_nothing(stream);
    }
    return status == cuda::kSuccess ? driver_.event_record(events_[1], stream) : status;
  }

  void tell(RoundClaims& claims) const {
    std::vector<double> empty;
    for (std::size_t i = kBefore; i + 2 < events_.size(); i += kEach) {
      empty.push_back(between(i, i + 1));
      claims.event_ns.push_back(between(i + 1, i + 2));
    }
    if (empty.empty()) return;
    claims.event_overhead_ns = median_of(std::move(empty));
    for (double& ns : claims.event_ns) ns = std::max(0.0, ns - claims.event_overhead_ns);
    claims.launch_ns = std::max(0.0, between(0, 1) - claims.event_overhead_ns) / kEmptyLaunches;
  }

 private:
  static constexpr std::size_t kBefore = 2;
  static constexpr std::size_t kEach = 3;

  [[nodiscard]] double between(std::size_t first, std::size_t second) const {
    float milliseconds = 0;
    driver_.event_elapsed(&milliseconds, events_[first], events_[second]);
    return static_cast<double>(milliseconds) * 1e6;
  }

  const device::CudaDriver& driver_;
  std::vector<cuda::Event> events_;
};

/// Who cannot be held begins when the worker says so, on the host. The worker always says so: it
/// opens the gate before it gives up, and kills whoever does not end.
void await_gate(const Page& page, std::uint32_t number) {
  while (page.go.load(std::memory_order_acquire) < number) {
  }
}

Status queue_calls(const Stage& stage, const RoundPlan& plan, cuda::Stream stream,
                   const TimedCall& call, Events& events, RoundClaims& claims) {
  if (const Status status = events.launch_nothing(stage, stream); status != cuda::kSuccess) {
    return status;
  }
  std::vector<OutputPart> outputs;
  for (std::uint32_t i = 0; i < plan.calls; ++i) {
    Status status = stage.before(i, stream);
    for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
      if (status == cuda::kSuccess) status = events.record(i, which, stream);
    }
    if (status != cuda::kSuccess) return status;
    outputs.clear();
    const Clock::time_point start = Clock::now();
    status = call(i, outputs);
    claims.queue_ns.push_back(nanoseconds_since(start));
    if (status == cuda::kSuccess) status = events.record(i, 2, stream);
    if (status == cuda::kSuccess) status = stage.after(i, outputs, stream);
    if (status != cuda::kSuccess) return status;
  }
  return stage.end(plan.calls, plan.number, stream);
}

}  // namespace

Status run_round(const Stage& stage, const RoundPlan& plan, cuda::Stream stream,
                 const TimedCall& call, RoundClaims& claims) {
  const device::CudaDriver& driver = stage.driver();
  Events events(driver, plan);
  Page& page = stage.page();
  Status status = driver.stream_synchronize(stream);
  if (stage.sweeps()) take_back_persisting_lines(driver);
  if (plan.held) {
    if (status == cuda::kSuccess) status = stage.wait_for_gate(plan.number, stream);
  } else {
    page.queued.store(plan.number, std::memory_order_release);
    await_gate(page, plan.number);
  }
  if (status == cuda::kSuccess) status = stage.begin(stream);
  if (status == cuda::kSuccess) status = queue_calls(stage, plan, stream, call, events, claims);
  // A call may just have set them aside, for the calls behind it.
  if (plan.held && stage.sweeps()) take_back_persisting_lines(driver);
  if (plan.held) page.queued.store(plan.number, std::memory_order_release);
  if (status == cuda::kSuccess) status = driver.stream_synchronize(stream);
  if (status == cuda::kSuccess) events.tell(claims);
  return status;
}

Status time_on_host(const device::CudaDriver& driver, std::uint32_t calls, cuda::Stream stream,
                    const TimedCall& call, std::vector<double>& ns) {
  std::vector<OutputPart> outputs;
  for (std::uint32_t i = 0; i < calls; ++i) {
    outputs.clear();
    Status status = driver.stream_synchronize(stream);
    const Clock::time_point start = Clock::now();
    if (status == cuda::kSuccess) status = call(i, outputs);
    if (status == cuda::kSuccess) status = driver.stream_synchronize(stream);
    if (status != cuda::kSuccess) return status;
    ns.push_back(nanoseconds_since(start));
  }
  return cuda::kSuccess;
}

}  // namespace assay::gate
