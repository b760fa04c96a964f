#include "worker/worker.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "base/version.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_memory.hpp"
#include "device/gpu_files.hpp"
#include "eval/evaluation.hpp"
#include "metrics/explain.hpp"
#include "model/device_info.hpp"
#include "model/device_metrics.hpp"
#include "model/extension.hpp"
#include "model/job.hpp"
#include "model/kernel_choice.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/sanitizer_status.hpp"
#include "model/task.hpp"
#include "model/verdict.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_support.hpp"
#include "process/weak_jail.hpp"
#include "python/interpreter.hpp"
#include "wire/decode_error.hpp"
#include "wire/request.hpp"
#include "wire/worker_messages.hpp"
#include "worker/activity.hpp"
#include "worker/compiled_files.hpp"
#include "worker/gpu_jail.hpp"
#include "worker/inbox.hpp"
#include "worker/jailed_tool.hpp"
#include "worker/metrics_lane.hpp"
#include "worker/python_package.hpp"
#include "worker/python_zygote.hpp"
#include "worker/runner_pool.hpp"
#include "worker/runner_process.hpp"
#include "worker/sanitizer_lane.hpp"

namespace assay::worker {
namespace {

constexpr std::chrono::hours kForever{24 * 365};  // the server decides how long we live
constexpr std::chrono::seconds kTimeToTell{1};    // of what was found

/// The server, which knows the builds, adds them.
void complete(Provenance& provenance, const DeviceInfo& device, std::uint64_t secret) {
  provenance.device = device.id;
  provenance.device_name = device.name;
  provenance.driver = device.driver;
  provenance.assay_version = std::string(version());
  provenance.seed = secret;
}

device::GpuFiles files_of(const DeviceInfo& device) {
  return device.kind == DeviceKind::cuda ? device::find_gpu_files(device.uuid) : device::GpuFiles{};
}

Result<PythonOptions> prepare_python(const WorkerOptions& options,
                                     const std::filesystem::path& program,
                                     const process::JailSupport& support) {
  const SystemClock clock;
  ASSAY_TRY(auto interpreter, python::inspect(program, support, clock));
  ASSAY_TRY(auto package, write_python_package(options.data_dir));
  return PythonOptions{.interpreter = std::move(interpreter),
                       .package = std::move(package),
                       .device = options.device,
                       .limits = options.runner_limits,
                       .gpu_files = files_of(options.device),
                       .require_jail = options.require_jail,
                       .given_up = options.given_up};
}

/// Nothing where Python kernels cannot run here.
std::optional<PythonOptions> python_options(const WorkerOptions& options,
                                            const process::JailSupport& support, const Log& log) {
  if (!options.python) return std::nullopt;
  auto prepared = prepare_python(options, *options.python, support);
  if (prepared) return *std::move(prepared);
  log.error("worker", "no Python kernels: {}", prepared.error().message());
  return std::nullopt;
}

/// Nothing where Triton compiles nothing, or where the runners would share a /tmp: the candidate
/// could then leave something for whoever runs the reference next.
std::unique_ptr<CompiledFiles> compiled_files(const WorkerOptions& options,
                                              const std::optional<PythonOptions>& python,
                                              const process::JailSupport& support,
                                              const Clock& clock, const Log& log) {
  if (options.device.kind != DeviceKind::cuda || !python ||
      !support.has(process::JailPart::mount_namespace)) {
    return nullptr;
  }
  const ComputeCapability code = options.device.compute;
  auto files = CompiledFiles::open(
      options.data_dir / "triton",
      fmt::format("{}, {}.{}", python->interpreter.describe(), code.major, code.minor),
      options.compiled_bytes, clock);
  if (files) return *std::move(files);
  log.error("worker", "what Triton compiles is not kept: {}", files.error().message());
  return nullptr;
}

class Worker {
 public:
  Worker(const WorkerOptions& options, UniqueFd channel, const Log& log,
         const device::CudaDriver* driver)
      : options_(options),
        channel_(std::move(channel), kWorkerFrameLimit),
        support_(process::probe_jail_support()),
        python_(python_options(options, support_, log)),
        compiled_(compiled_files(options, python_, support_, clock_, log)),
        runner_options_{.limits = options.runner_limits,
                        .executable = options.executable,
                        .device = options.device,
                        .gpu_files = files_of(options.device)},
        pool_(runner_options_, python_, support_, options.spare_runners, log, driver,
              options.device_code),
        tools_{.runners = runner_options_,
               .python = python_,
               .support = support_,
               .clock = clock_,
               .log = log},
        metrics_(options.metrics, tools_),
        sanitizers_(options.sanitizer, tools_),
        log_(log) {}

  int run() {
    if (options_.require_jail && !not_given_up(support_, options_.given_up).empty()) {
      return refuse();
    }
    if (options_.require_jail && options_.device.kind == DeviceKind::cuda &&
        shows_neighbours(runner_options_.gpu_files)) {
      log_.error("worker",
                 "--require-jail: NVML does not say which of the files /dev/nvidia* is {}, so "
                 "kernels would reach other GPUs; install the driver's libnvidia-ml.so.1",
                 options_.device.uuid);
      return 1;
    }
    Inbox inbox(channel_);
    while (true) {
      const auto ordered = inbox.next();
      if (!ordered) return ordered.error().code() == ErrorCode::unavailable ? 0 : 1;
      if (!tell(evaluate(ordered->task, ordered->stop))) return 1;
    }
  }

 private:
  /// The server found every part, but control groups depend on where in the system one is.
  [[nodiscard]] int refuse() const {
    for (const process::JailPartStatus& part : not_given_up(support_, options_.given_up)) {
      log_.error("worker", "--require-jail: {} is not available ({})", to_string(part.part),
                 part.detail);
    }
    return 1;
  }

  WorkerEvent evaluate(const EvaluationTask& task, const std::stop_token& stop) {
    auto request = wire::decode_request(task.form, task.body);
    if (!request) return Error(ErrorCode::invalid_argument, wire::describe(request.error()));
    const std::uint64_t secret = request->seed.value_or(random_u64());
    const Request plain = without_lane(*request);
    const eval::EvaluationInput input{.request = plain,
                                      .reference = task.reference,
                                      .candidate = task.candidate,
                                      .secret = secret,
                                      .device = options_.device.kind,
                                      .budget = task.budget,
                                      .compiled = compiled_.get()};
    SteadyTime begun = clock_.now();
    const EvaluationListener listener{
        .begun =
            [&] {
              begun = clock_.now();
              report(TaskBegun{});
            },
        .step =
            [this](JobStep step) {
              if (step == JobStep::checked) pool_.make_way_for(Activity::timing);
              report(step);
            },
        .progress = [this](const TaskProgress& progress) { report(progress); }};
    auto evaluated = eval::evaluate(input, pool_, clock_, listener, stop);
    if (evaluated) {
      if (auto* outcome = std::get_if<Outcome>(&*evaluated)) {
        const Deadline deadline(clock_, task.budget - (clock_.now() - begun) - kTimeToTell);
        look_closer(task, *request, input, *outcome, {deadline, stop});
      }
    }
    pool_.make_way_for(Activity::none);
    if (!evaluated) return std::move(evaluated).error();
    if (auto* needed = std::get_if<ExtensionsNeeded>(&*evaluated)) return std::move(*needed);
    Outcome outcome = std::get<Outcome>(*std::move(evaluated));
    complete(outcome.provenance, options_.device, secret);
    return outcome;
  }

  /// The request as it is evaluated: what sanitizers of a lane look for, they do afterwards.
  [[nodiscard]] Request without_lane(Request request) const {
    if (sanitizers_.serves()) request.sanitize = {};
    return request;
  }

  /// After all that is timed: nothing of it is measured under a tool.
  void look_closer(const EvaluationTask& task, const Request& request,
                   const eval::EvaluationInput& input, Outcome& outcome,
                   const eval::Bounds& bounds) {
    const auto& asked = request.device_metrics;
    const bool with_metrics = asked ? asked->asked : options_.metrics.always.has_value();
    const bool with_lane = request.sanitize.any() && sanitizers_.serves();
    if ((with_metrics || with_lane) && std::holds_alternative<Accepted>(outcome.verdict)) {
      report(JobStep::timed);
    }
    if (with_lane) {
      const eval::EvaluationInput checked{.request = request,
                                          .reference = input.reference,
                                          .candidate = input.candidate,
                                          .secret = input.secret,
                                          .device = input.device,
                                          .budget = input.budget,
                                          .compiled = input.compiled};
      sanitizers_.check(checked, pool_, outcome, bounds);
    } else if (request.sanitize.any()) {
      outcome.sanitizers = checked_here(request);
    }
    if (with_metrics) collect_metrics(task, input, outcome, bounds);
  }

  /// By the runner itself, while it was evaluated.
  [[nodiscard]] static SanitizerStatus checked_here(const Request& request) {
    SanitizerStatus status{.state = SanitizerState::checked, .by = "the cpu device"};
    if (request.device.value_or("cpu") != "cpu") {
      status.reason = fmt::format(
          "{} has no compute-sanitizer: the kernel was evaluated and checked on the cpu device",
          *request.device);
      status.advice =
          "install it (it comes with the CUDA toolkit), or name it with "
          "--compute-sanitizer";
    }
    return status;
  }

  void collect_metrics(const EvaluationTask& task, const eval::EvaluationInput& input,
                       Outcome& outcome, const eval::Bounds& bounds) {
    const auto& asked = input.request.device_metrics;
    MetricsWanted wanted = asked && asked->wanted.any()
                               ? asked->wanted
                               : options_.metrics.always.value_or(MetricsWanted{});
    metrics_.collect({.input = input,
                      .job = task.job,
                      .body = task.body,
                      .wanted = expanded(std::move(wanted), options_.metrics.sets),
                      .kernels = asked ? asked->kernels : KernelChoice{},
                      .runs = asked ? asked->runs : 1,
                      .fresh = asked && asked->fresh,
                      .collector = asked ? asked->collector : kUsualCollector},
                     pool_, outcome, bounds);
    if (asked && asked->explained) {
      outcome.device_metrics->explanation = metrics::explain(*outcome.device_metrics);
    }
  }

  void report(const WorkerEvent& event) {
    if (!tell(event)) log_.warning("worker", "the server does not listen");
  }

  bool tell(const WorkerEvent& event) {
    return channel_.send(wire::encode_event(event), forever()).has_value();
  }

  [[nodiscard]] Deadline forever() const { return {clock_, kForever}; }

  const WorkerOptions& options_;
  SystemClock clock_;
  process::FrameChannel channel_;
  process::JailSupport support_;
  std::optional<PythonOptions> python_;
  std::unique_ptr<CompiledFiles> compiled_;
  RunnerOptions runner_options_;
  RunnerPool pool_;
  ToolHost tools_;
  MetricsLane metrics_;
  SanitizerLane sanitizers_;
  const Log& log_;
};

}  // namespace

int run_worker(const WorkerOptions& options, UniqueFd channel, const Log& log) {
  if (options.device.kind == DeviceKind::cpu) {
    return Worker(options, std::move(channel), log, nullptr).run();
  }
  const auto driver = device::CudaDriver::open();
  const auto context = driver ? open_context(*driver, 0) : std::unexpected(driver.error());
  if (!context) {
    log.error("worker", "{}: {}", options.device.id.value, context.error().message());
    return 1;
  }
  return Worker(options, std::move(channel), log, &*driver).run();
}

}  // namespace assay::worker
