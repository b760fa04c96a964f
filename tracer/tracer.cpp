#include "tracer/tracer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "tracer/batch.hpp"
#include "tracer/clock.hpp"
#include "tracer/device_source.hpp"
#include "tracer/log.hpp"
#include "tracer/nsys_file.hpp"
#include "tracer/range_event.hpp"
#include "tracer/recording.hpp"
#include "tracer/settings.hpp"
#include "tracer/thread_id.hpp"

namespace assay::tracer {

bool Tracer::is_wanted() {
  return settings_of_environment().has_value();
}

Tracer& Tracer::of_process() {
  static Tracer* const kTracer = new Tracer(settings_of_environment().value_or(Settings()));
  return *kTracer;
}

Tracer::Tracer(Settings settings)
    : settings_(std::move(settings)), gate_(settings_), ranges_(gate_) {
  ::pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
  std::atexit([] { of_process().finish(); });
}

std::int64_t Tracer::now() const {
  const DeviceSource* device = device_.load(std::memory_order_acquire);
  return device == nullptr ? wall_clock() : device->now();
}

/// The file's name without its end. A process that became another program has the same number, so
/// the name that is free is looked for.
std::string Tracer::stem() const {
  const std::string pid =
      (settings_.rank.empty() ? "" : "rank" + settings_.rank + "-") + std::to_string(::getpid());
  std::string name = pid;
  std::error_code error;
  for (int i = 2; std::filesystem::exists(settings_.folder / (name + ".sqlite"), error); ++i) {
    name = pid + "-" + std::to_string(i);
  }
  return (settings_.folder / name).string();
}

Recording* Tracer::recording() {
  if (recording_ != nullptr || settings_.folder.empty()) return recording_.get();
  const std::string name = stem();
  const Log log(name + ".log");
  auto file = NsysFile::create(name + ".sqlite", this_process(), settings_.epoch);
  if (!file) {
    log.problem("the timeline cannot be written: " + file.error().message());
    return nullptr;
  }
  recording_ = std::make_unique<Recording>(*std::move(file), gate_, log);
  if (const DeviceSource* device = device_.load()) {
    log.say("CUPTI " + device->version());
    for (const std::string& kind : device->missing()) {
      recording_->tell(Loss::kind, "not recorded: " + kind);
    }
  }
  return recording_.get();
}

void Tracer::attach_device() {
  {
    const std::lock_guard lock(mutex_);
    if (device_.load() != nullptr || finished_) return;
    auto attached = DeviceSource::attach(settings_, gate_);
    if (attached) {
      device_ = attached->release();
    } else {
      why_no_device_ = "no kernels are recorded: " + attached.error().message();
    }
  }
  start_writing();
}

void Tracer::start_writing() {
  const std::lock_guard lock(mutex_);
  if (finished_ || writing_.load()) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // The new thread must not be the one that takes the program's signals.
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    writer_ = std::make_unique<std::thread>([this] { write_until_stopped(); });
  } catch (const std::system_error&) {
    writer_ = nullptr;  // no thread to be had: finish() writes everything, as far as it fits
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  writing_.store(true, std::memory_order_release);
}

void Tracer::write_until_stopped() {
  constexpr std::chrono::milliseconds kLook{20};
  // The first rows come soon: a program may be ended before a whole period is over.
  auto period = std::min(settings_.period, std::chrono::milliseconds(50));
  while (true) {
    const auto until = std::chrono::steady_clock::now() + period;
    period = std::min(settings_.period, period * 2);
    std::unique_lock lock(mutex_);
    while (!stop_ && std::chrono::steady_clock::now() < until) {
      wake_.wait_for(lock, kLook);
      DeviceSource* device = device_.load();
      if (device != nullptr && device->is_pressed()) break;
    }
    if (stop_) return;
    lock.unlock();
    write(/*last=*/false);
  }
}

void Tracer::write(bool last) {
  DeviceSource* device = device_.load();
  Batch batch = device == nullptr ? Batch() : device->take(last);
  const std::vector<RangeEvent> events = ranges_.drain();
  const bool nothing = batch.empty() && events.empty();
  if (nothing && !last && recording_ != nullptr) return;
  if (nothing && device == nullptr && why_no_device_.empty()) return;  // no CUDA and no ranges
  Recording* to = recording();
  if (to == nullptr) return;
  if (!why_no_device_.empty()) to->tell(Loss::device, why_no_device_);
  if (device != nullptr && device->dropped() + device->refused() > 0) {
    to->tell(Loss::records, "CUPTI dropped " + std::to_string(device->dropped()) +
                                " records and was refused " + std::to_string(device->refused()) +
                                " buffers, for too much waited to be written: the timeline has "
                                "holes");
  }
  if (const std::uint64_t lost = ranges_.lost(); lost > 0) {
    to->tell(Loss::ranges, std::to_string(lost) + " NVTX events came too fast and are lost");
  }
  to->write(std::move(batch), events, device == nullptr ? nullptr : &device->names(), now(), last);
}

void Tracer::finish() {
  std::unique_ptr<std::thread> writer;
  {
    const std::lock_guard lock(mutex_);
    if (!writing_.load() || std::exchange(finished_, true)) return;
    stop_ = true;
    writer = std::move(writer_);
  }
  wake_.notify_all();
  if (writer != nullptr) writer->join();
  write(/*last=*/true);
  if (recording_ != nullptr) recording_->sum_up();
  recording_.reset();
}

void Tracer::before_fork() {
  of_process().mutex_.lock();
  of_process().ranges_.lock_for_fork();
  of_process().gate_.lock_for_fork();
}

void Tracer::after_fork_in_parent() {
  of_process().gate_.unlock_after_fork();
  of_process().ranges_.unlock_after_fork();
  of_process().mutex_.unlock();
}

/// The child has neither the thread nor a right to the parent's file, and CUDA does not survive a
/// fork: it begins anew, with a file of its own.
void Tracer::after_fork_in_child() {
  Tracer& self = of_process();
  self.gate_.unlock_after_fork();
  self.ranges_.unlock_after_fork();
  forget_thread_id();
  // Not destroyed: that would close what the parent still uses, or wait for a thread that is not.
  static_cast<void>(self.writer_.release());
  static_cast<void>(self.recording_.release());
  self.device_ = nullptr;
  self.why_no_device_.clear();
  self.stop_ = false;
  self.finished_ = false;
  self.writing_ = false;
  self.ranges_.forget_after_fork(thread_id(), wall_clock());
  self.mutex_.unlock();
}

}  // namespace assay::tracer
