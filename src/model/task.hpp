#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include "base/error.hpp"
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

/// What a worker says of its task: steps as they are taken, then one outcome or one error.
using WorkerEvent = std::variant<JobStep, Outcome, Error>;

}  // namespace assay
