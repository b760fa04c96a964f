#include <condition_variable>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/job_view.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "cli/engine.hpp"
#include "cli/job_source.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/kernel.hpp"
#include "model/request.hpp"
#include "queue/placement.hpp"
#include "wire/decode_error.hpp"
#include "wire/request.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

class LocalJobs final : public JobSource {
 public:
  LocalJobs(TempDir directory, std::unique_ptr<Engine> engine)
      : directory_(std::move(directory)), engine_(std::move(engine)) {}

  Result<wire::Value> run(std::string body, const OnProgress& on_progress,
                          const std::stop_token& stop) override {
    const auto request = wire::decode_request(RequestForm::job, body);
    if (!request) return fail(ErrorCode::invalid_argument, wire::describe(request.error()));
    auto& dispatcher = engine_->dispatcher();
    const auto device = queue::place(*request, dispatcher.devices(),
                                     [this](const Request& asks, const auto& on_device) {
                                       return engine_->metric_names().mistake_in(asks, on_device);
                                     });
    if (!device) {
      return fail(ErrorCode::invalid_argument,
                  wire::describe(wire::InvalidFields{{device.error()}}));
    }
    ASSAY_TRY(const auto submitted,
              dispatcher.submit({.form = RequestForm::job,
                                 .body = std::move(body),
                                 .priority = request->priority,
                                 .device = *device,
                                 .name = display_name(*request),
                                 .kernel_type = std::string(to_string(request->candidate.type))}));
    const JobId id = submitted.job.id;
    {
      const MutexLock lock(mutex_);
      ended_ = false;
    }
    {
      const auto on_events = [&](const std::vector<JobEvent>& events, bool ended) {
        for (const JobEvent& event : events) on_progress(to_string(event.state), event.detail);
        const MutexLock lock(mutex_);
        ended_ = ended;
        changed_.notify_all();
      };
      ASSAY_TRY(const auto subscription, dispatcher.subscribe(id, 0, on_events));
      const MutexLock lock(mutex_);
      const bool finished = changed_.wait(mutex_, stop, [this] {
        mutex_.assert_held();
        return ended_;
      });
      if (!finished) return fail(ErrorCode::cancelled, "interrupted");
    }
    ASSAY_TRY(const Job job, engine_->store().get(id));
    ASSAY_TRY(const auto events, engine_->store().events(id));
    return wire::Value::parse(api::job_view(job, events, {.with_samples = true}).dump());
  }

  Result<std::string> artifact(std::string_view job, std::string_view name) override {
    return engine_->store().artifact(JobId{std::string(job)}, name);
  }

 private:
  TempDir directory_;  // holds the store: goes last
  std::unique_ptr<Engine> engine_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool ended_ ASSAY_GUARDED_BY(mutex_) = false;
};

}  // namespace

Result<std::unique_ptr<JobSource>> local_jobs(EngineOptions options, const Log& log) {
  ASSAY_TRY(TempDir directory,
            TempDir::create(std::filesystem::temp_directory_path(), "assay-jobs-"));
  options.data_dir = directory.path();
  ASSAY_TRY(auto engine, Engine::start(options, log));
  return std::make_unique<LocalJobs>(std::move(directory), std::move(engine));
}

}  // namespace assay::cli
