#include "worker/python_pool.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "process/jail_support.hpp"
#include "worker/python_process.hpp"
#include "worker/python_runner.hpp"
#include "worker/python_zygote.hpp"

namespace assay::worker {
namespace {

// What stops Python from starting is seldom gone a moment later, and trying takes seconds.
constexpr std::chrono::seconds kPauseAfterFailure{5};

}  // namespace

PythonPool::PythonPool(PythonOptions options, const process::JailSupport& support,
                       std::size_t spares, const Log& log)
    : options_(std::move(options)), support_(support), spares_(spares), log_(log) {
  refiller_ = std::jthread([this](const std::stop_token& stop) { refill(stop); });
  undertaker_ = std::jthread([this](const std::stop_token& stop) { bury(stop); });
}

PythonPool::~PythonPool() {
  for (std::jthread* thread : {&refiller_, &undertaker_}) {
    thread->request_stop();
    thread->join();
  }
  std::deque<std::unique_ptr<PythonRunner>> unused;
  {
    const MutexLock lock(mutex_);
    unused.swap(ready_);
  }
  unused.clear();  // without the lock, which their ends take
}

Result<std::shared_ptr<PythonZygote>> PythonPool::zygote() {
  const MutexLock lock(zygote_mutex_);
  if (zygote_ != nullptr && zygote_->alive()) return zygote_;
  if (zygote_ != nullptr) log_.warning("worker", "the Python zygote has died; starting another");
  zygote_.reset();
  ASSAY_TRY(zygote_, PythonZygote::start(options_, support_));
  for (const auto& part : zygote_->hello().missing) {
    log_.warning("worker", "Python runners have no {} of their own", part);
  }
  return zygote_;
}

Result<std::unique_ptr<PythonProcess>> PythonPool::fork_process() {
  ASSAY_TRY(const auto parent, zygote());
  auto process = parent->fork();
  if (process) return process;
  // It may be dying, too slowly for us to have seen it; whatever ails it, a new one does not have.
  log_.warning("worker", "replacing the Python zygote: {}", process.error().message());
  {
    const MutexLock lock(zygote_mutex_);
    if (zygote_ == parent) zygote_.reset();
  }
  ASSAY_TRY(const auto another, zygote());
  return another->fork();
}

Result<std::unique_ptr<PythonRunner>> PythonPool::fork() {
  ASSAY_TRY(auto process, fork_process());
  return std::make_unique<PythonRunner>(std::move(process),
                                        [this](std::unique_ptr<PythonProcess> killed) {
                                          const MutexLock lock(mutex_);
                                          dying_.push_back(std::move(killed));
                                          changed_.notify_all();
                                        });
}

Result<std::unique_ptr<PythonRunner>> PythonPool::fresh() {
  while (true) {
    std::unique_ptr<PythonRunner> runner;
    {
      const MutexLock lock(mutex_);
      if (!ready_.empty()) {
        runner = std::move(ready_.front());
        ready_.pop_front();
        changed_.notify_all();
      }
    }
    if (runner == nullptr) return fork();
    if (runner->alive()) return runner;
  }
}

void PythonPool::hold_back(bool timing) {
  const MutexLock lock(mutex_);
  timing_ = timing;
  changed_.notify_all();
}

void PythonPool::refill(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      const bool wanted = changed_.wait(mutex_, stop, [this] {
        mutex_.assert_held();
        return !timing_ && ready_.size() < spares_;
      });
      if (!wanted) return;
    }
    auto runner = fork();
    const MutexLock lock(mutex_);
    if (runner) {
      ready_.push_back(std::move(*runner));
      continue;
    }
    // fresh() tries for itself and tells its caller; here it is only worth a line.
    log_.warning("worker", "cannot start a Python runner ahead: {}", runner.error().message());
    (void)changed_.wait_for(mutex_, stop, kPauseAfterFailure, [] { return false; });
  }
}

void PythonPool::bury(const std::stop_token& stop) {
  while (true) {
    std::deque<std::unique_ptr<PythonProcess>> dying;
    {
      const MutexLock lock(mutex_);
      (void)changed_.wait(mutex_, stop, [this] {
        mutex_.assert_held();
        return !dying_.empty();
      });
      dying.swap(dying_);
    }
    if (dying.empty()) return;  // stopped
    // Their destructors, here, wait for their ends.
  }
}

}  // namespace assay::worker
