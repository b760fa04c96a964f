#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tracer/device_source.hpp"
#include "tracer/gate.hpp"
#include "tracer/log.hpp"
#include "tracer/range_book.hpp"
#include "tracer/recording.hpp"
#include "tracer/settings.hpp"

namespace assay::tracer {

/// All of the tracer in one process: what the program's libraries tell it, and the thread that
/// writes it down. It lives as long as the process. NVTX and CUPTI call plain functions, which do
/// not say whose they are, and may do so until the very end.
class Tracer {
 public:
  /// Whether the environment asks for it at all.
  [[nodiscard]] static bool is_wanted();
  [[nodiscard]] static Tracer& of_process();

  /// Begins to record what the GPUs do. Called when CUDA is initialised.
  void attach_device();
  /// For the functions of NVTX. It also starts the thread that writes.
  [[nodiscard]] RangeBook& ranges() {
    if (!writing_.load(std::memory_order_acquire)) start_writing();
    return ranges_;
  }
  [[nodiscard]] std::int64_t now() const;
  /// Writes the rest and closes the file. Called when the process exits.
  void finish();

 private:
  explicit Tracer(Settings settings);

  void start_writing();
  void write_until_stopped();
  /// One write; `last` is the end.
  void write(bool last);
  [[nodiscard]] Recording* recording();
  [[nodiscard]] std::string stem() const;

  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  const Settings settings_;
  Gate gate_;
  RangeBook ranges_;
  std::atomic<DeviceSource*> device_ = nullptr;  // never deleted: CUPTI may call it
  std::string why_no_device_;                    // empty: it was not tried, or it works
  std::atomic<bool> writing_ = false;
  std::mutex mutex_;  // of starting, stopping and forking
  std::condition_variable wake_;
  bool stop_ = false;
  bool finished_ = false;
  std::unique_ptr<std::thread> writer_;
  std::unique_ptr<Recording> recording_;  // the writer's, and after it has ended finish()'s
};

}  // namespace assay::tracer
