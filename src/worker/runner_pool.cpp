#include "worker/runner_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "eval/outside_clock.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "gate/device_code.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "tensor/accelerator.hpp"
#include "worker/activity.hpp"
#include "worker/device_arena.hpp"
#include "worker/gpu_accelerator.hpp"
#include "worker/gpu_clock.hpp"
#include "worker/python_zygote.hpp"
#include "worker/runner_process.hpp"

namespace assay::worker {
namespace {

constexpr std::chrono::milliseconds kPauseAfterFailure{200};
// Building a jail is mostly waiting for the kernel (joining control groups, making a network), so
// several are built at once: one at a time held an otherwise idle machine to 30 evaluations/s.
constexpr std::size_t kMaxRefillers = 4;
// Two for an evaluation and two for the next: each holds some tens of megabytes.
constexpr std::size_t kPythonSpares = 4;

Result<std::unique_ptr<GpuClock>> open_clock(const device::CudaDriver* driver,
                                             const std::optional<std::filesystem::path>& code) {
  if (driver == nullptr) return fail(ErrorCode::unavailable, "the cpu device has no gate");
  if (!code) return fail(ErrorCode::unavailable, "NVRTC, which compiles the gate, was not found");
  return GpuClock::open(*driver, *code / gate::kSceneModule);
}

Result<std::unique_ptr<GpuAccelerator>> open_accelerator(
    const device::CudaDriver* driver, const std::optional<std::filesystem::path>& code) {
  if (driver == nullptr || !code) return fail(ErrorCode::unavailable, "NVRTC was not found");
  return GpuAccelerator::open(*driver, *code / gate::kWorkModule);
}

}  // namespace

RunnerPool::RunnerPool(RunnerOptions options, std::optional<PythonOptions> python,
                       const process::JailSupport& support, std::size_t spares, const Log& log,
                       const device::CudaDriver* driver,
                       const std::optional<std::filesystem::path>& device_code)
    : options_(std::move(options)),
      support_(support),
      spares_(spares),
      log_(log),
      driver_(driver),
      clock_(open_clock(driver, device_code)),
      accelerator_(open_accelerator(driver, device_code)),
      wanted_(spares) {
  if (driver != nullptr && !clock_) {
    log.warning("worker", "times are the runners' own claims: {}", clock_.error().message());
  }
  if (accelerator_) {
    tensor::install(accelerator_->get());
  } else if (driver != nullptr) {
    log.warning("worker", "inputs and answers are worked on by the processor: {}",
                accelerator_.error().message());
  }
  if (python) python_.emplace(*std::move(python), support, std::min(spares, kPythonSpares), log);
  for (std::size_t i = 0; i < std::min(spares, kMaxRefillers); ++i) {
    refillers_.emplace_back([this](const std::stop_token& stop) { refill(stop); });
  }
}

RunnerPool::~RunnerPool() {
  for (std::jthread& refiller : refillers_) refiller.request_stop();
  if (accelerator_) tensor::install(nullptr);
}

Result<std::unique_ptr<eval::Runner>> RunnerPool::fresh() {
  while (auto runner = take_ready()) {
    if (runner->alive()) return with_undertaker(std::move(runner));
  }
  ASSAY_TRY(auto runner, RunnerProcess::spawn(options_, support_));
  return with_undertaker(std::move(runner));
}

/// One that is being started is sooner ready than one that would be started now.
std::unique_ptr<RunnerProcess> RunnerPool::take_ready() {
  const MutexLock lock(mutex_);
  ++awaited_;
  changed_.wait(mutex_, [this] {
    mutex_.assert_held();
    return !ready_.empty() || starting_ < awaited_;
  });
  --awaited_;
  if (ready_.empty()) return nullptr;
  auto runner = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return runner;
}

std::unique_ptr<RunnerProcess> RunnerPool::with_undertaker(std::unique_ptr<RunnerProcess> runner) {
  if (driver_ == nullptr) return runner;
  runner->leave_to([this](process::Subprocess process) { undertaker_.take(std::move(process)); });
  return runner;
}

Result<std::unique_ptr<eval::PythonRunner>> RunnerPool::fresh_python(const eval::Bounds& bounds) {
  if (!python_) return fail(ErrorCode::unavailable, "this worker was started without Python");
  ASSAY_TRY(auto runner, python_->fresh(bounds));
  return runner;
}

Result<std::unique_ptr<eval::SharedArena>> RunnerPool::make_arena(std::size_t size) {
  if (driver_ != nullptr) {
    if (accelerator_) (*accelerator_)->make_room(size);
    return make_device_arena(*driver_, accelerator_ ? accelerator_->get() : nullptr, size);
  }
  return eval::make_host_arena(size);
}

Result<eval::OutsideClock*> RunnerPool::outside_clock() {
  if (!clock_) return std::unexpected(clock_.error());
  return clock_->get();
}

std::optional<std::size_t> RunnerPool::free_memory() const {
  std::size_t free = 0;
  std::size_t total = 0;
  if (driver_ == nullptr || driver_->memory_info(&free, &total) != device::cuda::kSuccess) {
    return std::nullopt;
  }
  return free;
}

std::optional<std::size_t> RunnerPool::memory_limit() const {
  const std::uint64_t most = options_.device.most_kernel_bytes;
  return driver_ == nullptr || most == 0 ? std::nullopt : std::optional<std::size_t>(most);
}

void RunnerPool::await_ends(const eval::Bounds& bounds) {
  const bool gone = undertaker_.await_all(bounds) && (!python_ || python_->await_ends(bounds));
  if (!gone) log_.warning("worker", "dead runners still hold memory of the GPU");
}

void RunnerPool::await_memory(const eval::Bounds& bounds) {
  const auto free = free_memory();
  if (!free) return;
  most_free_ = std::max(most_free_, *free);
  if (*free < most_free_ / 4 * 3) await_ends(bounds);  // seldom: kernels are small
}

void RunnerPool::make_room(const eval::Bounds& bounds) {
  await_memory(bounds);
  make_way_for(Activity::checking);
}

void RunnerPool::make_way_for(Activity activity) {
  if (python_) python_->make_way_for(activity);
  if (accelerator_) (*accelerator_)->trim();
  if (driver_ == nullptr) return;
  const MutexLock lock(mutex_);
  wanted_ = wanted_spares(activity, spares_);
  changed_.notify_all();
}

void RunnerPool::refill(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      const bool wanted = changed_.wait(mutex_, stop, [this] {
        mutex_.assert_held();
        return ready_.size() + starting_ < wanted_;
      });
      if (!wanted) return;
      ++starting_;
    }
    auto runner = RunnerProcess::spawn(options_, support_);
    const MutexLock lock(mutex_);
    --starting_;
    changed_.notify_all();
    if (runner) {
      ready_.push_back(std::move(*runner));
      continue;
    }
    // fresh() tries for itself and tells its caller; here it is only worth a line.
    log_.warning("worker", "cannot start a runner ahead: {}", runner.error().message());
    changed_.wait_for(mutex_, stop, kPauseAfterFailure, [] { return false; });
  }
}

}  // namespace assay::worker
