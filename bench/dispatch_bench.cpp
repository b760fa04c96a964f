// What the store and the dispatcher cost by themselves: builds and devices that do nothing.
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/builder.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/task.hpp"
#include "model/verdict.hpp"
#include "queue/dispatcher.hpp"
#include "queue/watchers.hpp"
#include "ratio_reporter.hpp"
#include "store/data_dir.hpp"
#include "store/job_store.hpp"
#include "worker/client.hpp"

namespace assay::queue {
namespace {

class InstantBuilder final : public compile::Builder {
 public:
  Result<void> prepare(KernelType /*type*/, DeviceKind /*device*/, const Deadline& /*deadline*/,
                       const std::stop_token& /*stop*/) override {
    return {};
  }
  Result<compile::BuildOutcome> build(const Kernel& /*kernel*/, DeviceKind /*device*/,
                                      const Deadline& /*deadline*/,
                                      const std::stop_token& /*stop*/) override {
    return BuiltKernel{};
  }
  Result<compile::BuildOutcome> build_extensions(const std::vector<ExtensionCall>& /*calls*/,
                                                 DeviceKind /*device*/,
                                                 const Deadline& /*deadline*/,
                                                 const std::stop_token& /*stop*/) override {
    return BuiltKernel{};
  }
  [[nodiscard]] compile::BuildStats stats() const override { return {}; }
};

class InstantClient final : public worker::Client {
 public:
  Result<EvaluationEnd> evaluate(const worker::Task& /*task*/, const EvaluationListener& listener,
                                 const std::stop_token& /*stop*/) override {
    listener.begun();
    listener.step(JobStep::checked);
    return Outcome{.verdict = Accepted{}};
  }
  [[nodiscard]] const DeviceInfo& device() const override { return device_; }

 private:
  DeviceInfo device_{.id = DeviceId{"cpu"}};
};

class Bench {
 public:
  JobId submit() {
    static const std::string kBody = R"({"reference":{"source_code":"r","kernel_type":"torch"},)"
                                     R"("candidate":{"source_code":"c","kernel_type":"torch"}})";
    return dispatcher_->submit({.body = kBody}).value().job.id;
  }
  Subscription when_finished(const JobId& id, const std::function<void()>& callback) {
    return dispatcher_->on_finished(id, [callback](const Result<Job>&) { callback(); }).value();
  }

 private:
  SystemClock clock_;
  Log log_{STDERR_FILENO};
  TempDir temp_ = TempDir::create("/tmp", "assay-bench-").value();
  store::DataDir dir_ = store::DataDir::open(temp_.path()).value();
  std::unique_ptr<store::JobStore> store_ = store::JobStore::open(dir_, clock_).value();
  InstantBuilder builder_;
  InstantClient client_;
  std::unique_ptr<Dispatcher> dispatcher_ =
      Dispatcher::start(*store_, builder_, {&client_}, clock_, log_).value();
};

/// The one durable write that nothing can do without, as what the rest is measured by.
void one_stored_job(benchmark::State& state) {
  const SystemClock clock;
  const TempDir temp = TempDir::create("/tmp", "assay-bench-").value();
  const store::DataDir dir = store::DataDir::open(temp.path()).value();
  const auto store = store::JobStore::open(dir, clock).value();
  for (auto _ : state) {
    if (!store->submit({.body = "{}"})) state.SkipWithError("a job could not be stored");
  }
}

/// One client that waits for each result: the time of an iteration is the latency.
void submit_to_finished(benchmark::State& state) {
  Bench bench;
  for (auto _ : state) {
    std::promise<void> done;
    const JobId id = bench.submit();
    const Subscription subscription = bench.when_finished(id, [&] { done.set_value(); });
    done.get_future().get();
  }
  state.SetItemsProcessed(state.iterations());
}

/// Clients that together keep 32 jobs in flight: items a second is the throughput.
void throughput_with_32_in_flight(benchmark::State& state) {
  Bench bench;
  std::counting_semaphore<> places(32);
  std::vector<Subscription> subscriptions;
  for (auto _ : state) {
    places.acquire();
    subscriptions.push_back(bench.when_finished(bench.submit(), [&] { places.release(); }));
  }
  for (int i = 0; i < 32; ++i) places.acquire();
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(one_stored_job)
    ->Iterations(200)
    ->Repetitions(15)
    ->ReportAggregatesOnly()
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(submit_to_finished)
    ->Iterations(200)
    ->Repetitions(15)
    ->ReportAggregatesOnly()
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(throughput_with_32_in_flight)
    ->Iterations(5000)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay::queue

int main(int argc, char** argv) {
  return assay::bench::run_against("one_stored_job", argc, argv);
}
