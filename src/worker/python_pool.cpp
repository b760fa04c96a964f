#include "worker/python_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "eval/runner.hpp"
#include "process/jail_support.hpp"
#include "worker/activity.hpp"
#include "worker/python_process.hpp"
#include "worker/python_runner.hpp"
#include "worker/python_zygote.hpp"

namespace assay::worker {
namespace {

// What stops Python from starting is seldom gone a moment later, and trying takes seconds.
constexpr std::chrono::seconds kPauseAfterFailure{5};
// Failures before somebody who waits is told so: a zygote may have been killed from outside.
constexpr int kPatience = 3;
constexpr std::chrono::seconds kLookAfterZygote{1};
// An evaluation takes two, and one with a context on a GPU takes half a second to make.
constexpr std::size_t kMaxRefillers = 2;

}  // namespace

PythonPool::PythonPool(PythonOptions options, const process::JailSupport& support,
                       std::size_t spares, const Log& log)
    : options_(std::move(options)), support_(support), spares_(spares), log_(log), wanted_(spares) {
  for (std::size_t i = 0; i < std::clamp(spares, std::size_t{1}, kMaxRefillers); ++i) {
    refillers_.emplace_back([this](const std::stop_token& stop) { refill(stop); });
  }
}

PythonPool::~PythonPool() {
  for (std::jthread& refiller : refillers_) refiller.request_stop();
  refillers_.clear();
  std::deque<std::unique_ptr<PythonRunner>> unused;  // ends without the lock
  const MutexLock lock(mutex_);
  unused.swap(ready_);
}

bool PythonPool::is_starting() {
  const MutexLock lock(mutex_);
  return zygote_ == nullptr && ready_.empty();
}

std::unique_ptr<PythonRunner> PythonPool::take_ready() {
  if (ready_.empty()) return nullptr;
  auto runner = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return runner;
}

Result<std::unique_ptr<PythonRunner>> PythonPool::fork(const Zygote& zygote,
                                                       const std::stop_token& stop) {
  ASSAY_TRY(auto process, zygote->fork(stop));
  return std::make_unique<PythonRunner>(
      std::move(process),
      [this](std::unique_ptr<PythonProcess> killed) { undertaker_.take(std::move(killed)); });
}

Result<std::unique_ptr<PythonRunner>> PythonPool::fresh(const eval::Bounds& bounds) {
  std::optional<int> failures;  // when we came
  int refusals = 0;             // of children that could not start
  while (true) {
    ASSAY_TRY(Source source, find_source(failures, bounds));
    if (source.runner != nullptr && source.runner->alive()) return std::move(source.runner);
    if (source.zygote == nullptr) continue;
    auto forked = fork(source.zygote, bounds.stop);
    if (forked || forked.error().code() == ErrorCode::cancelled) return forked;
    const bool refused = forked.error().code() == ErrorCode::resource_exhausted;
    if (refused && ++refusals < kPatience) continue;
    replace(source.zygote, forked.error());
    if (refused) return forked;
  }
}

Result<PythonPool::Source> PythonPool::find_source(std::optional<int>& failures,
                                                   const eval::Bounds& bounds) {
  const MutexLock lock(mutex_);
  if (!failures) failures = failure_.count;
  if (auto runner = take_ready()) return Source{.runner = std::move(runner), .zygote = nullptr};
  Zygote zygote = zygote_;
  if (zygote == nullptr) {
    if (auto started = await_zygote(*failures, bounds); !started) {
      return std::unexpected(std::move(started).error());
    }
    return Source{};
  }
  if (await_fork(bounds)) return Source{};
  return Source{.runner = nullptr, .zygote = std::move(zygote)};
}

Result<void> PythonPool::await_zygote(int failures, const eval::Bounds& bounds) {
  const auto gave_up = [&] {
    mutex_.assert_held();
    return failure_.count - failures >= kPatience;
  };
  if (gave_up()) return fail(ErrorCode::resource_exhausted, failure_.reason);
  ++waiting_;
  changed_.notify_all();
  (void)changed_.wait_for(mutex_, bounds.stop, bounds.deadline.remaining(), [&] {
    mutex_.assert_held();
    return zygote_ != nullptr || gave_up();
  });
  --waiting_;
  if (zygote_ != nullptr) return {};
  if (bounds.stop.stop_requested()) return fail(ErrorCode::cancelled, "wait for Python");
  return fail(ErrorCode::resource_exhausted,
              gave_up() ? failure_.reason : "Python takes too long to start");
}

bool PythonPool::await_fork(const eval::Bounds& bounds) {
  ++awaited_;
  const bool waits = awaited_ <= forking_;
  if (waits) {
    (void)changed_.wait_for(mutex_, bounds.stop, bounds.deadline.remaining(), [this] {
      mutex_.assert_held();
      return !ready_.empty() || forking_ < awaited_;
    });
  }
  --awaited_;
  return waits && !bounds.stop.stop_requested() && !bounds.deadline.expired();
}

Result<void> PythonPool::start_zygote(const std::stop_token& stop) {
  auto started = PythonZygote::start(options_, support_, stop);
  const MutexLock lock(mutex_);
  changed_.notify_all();
  if (!started) {
    failure_ = {.count = failure_.count + 1, .reason = started.error().message()};
    if (!stop.stop_requested()) {
      log_.warning("worker", "cannot start Python: {}", failure_.reason);
    }
    return std::unexpected(std::move(started).error());
  }
  zygote_ = *std::move(started);
  for (const auto& part : zygote_->missing()) {
    log_.warning("worker", "Python runners do without {}", part);
  }
  return {};
}

void PythonPool::replace(const Zygote& zygote, const Error& why) {
  log_.warning("worker", "replacing the Python zygote: {}", why.message());
  {
    const MutexLock lock(mutex_);
    if (zygote_ == zygote) failure_ = {.count = failure_.count + 1, .reason = why.message()};
  }
  forget(zygote);
}

void PythonPool::forget(const Zygote& zygote) {
  std::deque<std::unique_ptr<PythonRunner>> useless;  // ends without the lock
  const MutexLock lock(mutex_);
  if (zygote_ != zygote) return;
  zygote_.reset();
  useless.swap(ready_);
  changed_.notify_all();
}

void PythonPool::make_way_for(Activity activity) {
  const MutexLock lock(mutex_);
  wanted_ = wanted_spares(activity, spares_);
  changed_.notify_all();
}

void PythonPool::refill(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Zygote zygote;
    {
      const MutexLock lock(mutex_);
      // Looks up now and then: a zygote that has died is replaced before somebody needs it.
      (void)changed_.wait_for(mutex_, stop, kLookAfterZygote, [this] {
        mutex_.assert_held();
        return zygote_ == nullptr ? !importing_ : wants_spare();
      });
      zygote = zygote_;
      if (zygote == nullptr && std::exchange(importing_, true)) continue;
    }
    if (stop.stop_requested()) return;
    if (zygote == nullptr) {
      if (auto started = start_zygote(stop); !started) pause(stop);
      const MutexLock lock(mutex_);
      importing_ = false;
    } else if (!zygote->alive()) {
      log_.warning("worker", "the Python zygote has died; starting another");
      forget(zygote);
    } else {
      add_spare(zygote, stop);
    }
  }
}

void PythonPool::add_spare(const Zygote& zygote, const std::stop_token& stop) {
  {
    const MutexLock lock(mutex_);
    if (!wants_spare()) return;
    ++forking_;
  }
  auto runner = fork(zygote, stop);
  {
    const MutexLock lock(mutex_);
    --forking_;
    if (runner && zygote_ == zygote) ready_.push_back(std::move(*runner));
    changed_.notify_all();
  }
  if (!runner) {
    if (stop.stop_requested()) return;
    // The zygote does its part, and the kernel under way would go with it: a GPU whose memory that
    // kernel holds has none for another context.
    if (runner.error().code() == ErrorCode::resource_exhausted) {
      log_.warning("worker", "cannot start Python ahead: {}", runner.error().message());
      return pause(stop);
    }
    const bool dead = !zygote->alive();
    replace(zygote, runner.error());
    if (!dead) pause(stop);
  }
}

bool PythonPool::wants_spare() const {
  return ready_.size() + forking_ < wanted_;
}

/// Unless somebody waits: then the next attempt is made at once.
void PythonPool::pause(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  (void)changed_.wait_for(mutex_, stop, kPauseAfterFailure, [this] {
    mutex_.assert_held();
    return waiting_ > 0;
  });
}

}  // namespace assay::worker
