#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "queue/dispatcher.hpp"
#include "queue/fakes.hpp"
#include "store/data_dir.hpp"
#include "store/job_store.hpp"
#include "wire/outcome.hpp"
#include "worker/client.hpp"

namespace assay::queue {

/// A dispatcher over a real store and fake builds and devices. It starts with the first use, so
/// that a test can prepare things first.
class DispatcherTest : public testing::Test {
 protected:
  Dispatcher& dispatcher() {
    if (dispatcher_ == nullptr) {
      std::vector<worker::Client*> clients = {&cpu_};
      if (two_devices_) clients.push_back(&gpu_);
      dispatcher_ = Dispatcher::start(*store_, builder_, clients, clock_, log_, options_).value();
    }
    return *dispatcher_;
  }
  JobId submit(std::string_view candidate, std::string_view reference = "") {
    return submit({.body = body_of(candidate, reference)});
  }
  JobId submit(const store::NewJob& request) { return dispatcher().submit(request).value().job.id; }
  Job finished(const JobId& id) {
    std::promise<Job> promise;
    const Subscription subscription =
        dispatcher()
            .on_finished(id, [&](const Result<Job>& job) { promise.set_value(job.value()); })
            .value();
    return promise.get_future().get();
  }
  Job run(std::string_view candidate, std::string_view reference = "") {
    return finished(submit(candidate, reference));
  }
  JobState state(const JobId& id) { return store_->get(id).value().state; }
  void until(const JobId& id, JobState wanted) {
    while (state(id) != wanted) std::this_thread::yield();
  }
  /// A result can be read a moment before it is counted.
  void until_counted(std::uint64_t ended) {
    while (dispatcher().snapshot().value().totals.end_to_end.count < ended) {
      std::this_thread::yield();
    }
  }
  std::vector<JobState> history(const JobId& id) {
    std::vector<JobState> states;
    const auto events = store_->events(id).value();
    states.reserve(events.size());
    for (const JobEvent& event : events) states.push_back(event.state);
    return states;
  }
  static Outcome outcome(const Job& job) {
    return wire::decode_outcome(job.result.value_or("")).value();
  }
  static Error error(const Job& job) {
    return job.error.value_or(Error(ErrorCode::not_found, "it has none"));
  }

  AheadClock clock_;
  Log log_{-1};  // to nowhere: failures here are on purpose
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-queue-").value();
  store::DataDir dir_ = store::DataDir::open(temp_.path()).value();
  std::unique_ptr<store::JobStore> store_ = store::JobStore::open(dir_, clock_).value();
  FakeBuilder builder_;
  FakeClient cpu_;
  FakeClient gpu_{"cuda:0"};
  bool two_devices_ = false;
  DispatcherOptions options_{.version = "test"};
  std::unique_ptr<Dispatcher> dispatcher_;
};

}  // namespace assay::queue
