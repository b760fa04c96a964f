#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_metrics.hpp"
#include "model/kernel.hpp"
#include "model/names.hpp"
#include "model/timing_mode.hpp"
#include "model/workload.hpp"

namespace assay {

/// The shapes a request body comes in. A stored job keeps its body and this, so that it can be
/// read again by the same rules after a restart.
enum class RequestForm : std::uint8_t {
  evaluate,  // POST /evaluate: {"kernel": …}
  compare,   // POST /compare or /: {"ref_kernel": …, "custom_kernel": …} or the legacy form
  job,       // POST /v1/jobs: either of the above, with our own options
};

inline constexpr NameTable<RequestForm, 3> kRequestFormNames = {{
    {RequestForm::evaluate, "evaluate"},
    {RequestForm::compare, "compare"},
    {RequestForm::job, "job"},
}};

constexpr std::string_view to_string(RequestForm form) {
  return name_in(kRequestFormNames, form);
}

/// Two elements agree when |got - want| <= atol + rtol * |want|.
struct Tolerance {
  double atol = 1e-2;
  double rtol = 1e-2;
  bool equal_nan = false;  // where the expected answer has numbers beside its NaN
};

/// Where the tolerance of a request comes from.
enum class ToleranceRule : std::uint8_t {
  measured,    // from the reference's own error, for each output of each round
  request,     // as the client gave it
  compatible,  // that of the compatible routes, relative to the size of each output
};

inline constexpr NameTable<ToleranceRule, 3> kToleranceRuleNames = {{
    {ToleranceRule::measured, "measured"},
    {ToleranceRule::request, "request"},
    {ToleranceRule::compatible, "compatible"},
}};

constexpr std::string_view to_string(ToleranceRule rule) {
  return name_in(kToleranceRuleNames, rule);
}

/// Lower precisions that a candidate may compute in.
struct Allowed {
  bool tf32 = false;
  bool float16 = false;
  bool bfloat16 = false;
  bool float8 = false;
};

/// What a request requires of a candidate besides right answers.
struct Required {
  bool own_kernels = false;  // its own kernels do the work, not a library's
};

/// Checks to run beside the comparison, with the meaning compute-sanitizer gives them.
struct Sanitize {
  bool memory = false;
  bool race = false;
  bool init = false;
  bool sync = false;

  [[nodiscard]] bool any() const { return memory || race || init || sync; }
};

struct Request {
  std::string name;                 // what the submitter calls it; may be empty
  std::optional<Kernel> reference;  // absent: the candidate is only run and timed
  Kernel candidate;
  Tolerance tolerance;  // of the rules `request` and `compatible`
  ToleranceRule tolerance_rule = ToleranceRule::measured;
  Allowed allow;
  Required require;
  bool keep_range = false;  // changed inputs are no larger than the author's: compatible routes
  bool strict = false;      // a check too weak to mean something is no check
  std::optional<int> num_trials = 100;  // timed runs; nothing: as many as a verdict needs ("auto")
  TimingOptions timing;
  std::chrono::seconds timeout{120};  // for the work itself; waiting in the queue is not counted
  int rounds = 3;                     // fresh inputs each
  int warmup = 10;                    // untimed runs before the timed ones
  std::optional<std::uint64_t> seed;  // pins the secret seed, to reproduce a run
  std::optional<std::uint64_t> schedule_seed;    // `cpu`: shuffles the order of threads
  Sanitize sanitize;                             // on a GPU by compute-sanitizer
  std::optional<std::string> device;             // "cpu", "cuda:0"; absent: any
  int priority = 0;                              // larger goes first
  bool judge_speed = false;                      // also of `cpu` times and of mere claims
  std::optional<MetricsRequest> device_metrics;  // absent: as the server is set
  std::vector<Workload> workloads;               // other sizes at which it must be right too
};

/// The name that lists show for the request: its own name. Without one, it is the name of the
/// kernel that it says to launch, or of the first kernel in a CUDA source. It may be empty.
[[nodiscard]] std::string display_name(const Request& request);

}  // namespace assay
