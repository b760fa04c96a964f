#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/error.hpp"
#include "model/extension.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"

namespace assay {

/// One evaluation, as handed to a device's worker.
struct EvaluationTask {
  JobId job;
  RequestForm form = RequestForm::job;
  std::string body;  // the request as it came; the worker reads it by the same rules
  std::optional<BuiltKernel> reference;
  BuiltKernel candidate;
  std::chrono::nanoseconds budget{};  // what is left of the request's timeout
};

/// The task under way shall stop. The worker answers as soon as it has stopped.
struct StopTask {};

/// What a server says to a worker: one task at a time.
using WorkerOrder = std::variant<EvaluationTask, StopTask>;

/// The processes that the task needs stand ready, and its budget counts from here. Starting them
/// may take seconds on a busy machine. No submission is charged for that.
struct TaskBegun {};

/// How an evaluation ends, unless a failure of ours stops it.
using EvaluationEnd = std::variant<Outcome, ExtensionsNeeded>;

/// How far the task has come, for people.
struct TaskProgress {
  std::string detail;
};
using WorkerEvent =
    std::variant<TaskBegun, JobStep, TaskProgress, Outcome, ExtensionsNeeded, Error>;

/// Who follows an evaluation. Called from whatever thread carries it out.
struct EvaluationListener {
  std::function<void()> begun = [] {};  // again where an evaluation has to be repeated
  std::function<void(JobStep)> step = [](JobStep) {};  // `checked` and the like
  std::function<void(const TaskProgress&)> progress = [](const TaskProgress&) {};
};

/// The longest that a task may take to begin, whatever the machine is doing.
inline constexpr std::chrono::minutes kTimeToBegin{3};

}  // namespace assay
