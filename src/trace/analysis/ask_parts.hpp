#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/table.hpp"

namespace assay::trace {

// Private to ask*.cpp.

/// An answer under way.
struct Answer {
  Report report;

  /// Ends it: `message` is the answer.
  Report answered(std::string message, std::vector<Fact> evidence) &&;
  /// Ends it: the profile does not support an answer.
  Report abstained(std::string reason) &&;
};

/// "12.345 ms"
[[nodiscard]] std::string shown(std::int64_t nanoseconds);
[[nodiscard]] std::string shown(double nanoseconds);

/// The part of a profile a question is about, in words: "inside 'Forward'", "in the profile".
[[nodiscard]] std::string within(std::string_view range);

/// What is not counted inside ranges because the calls that launched it are not recorded, as a
/// sentence with a blank before it; empty where that is little.
[[nodiscard]] std::string without_calls(const Trace& trace);

Report ask_forward_time(Analysis& analysis, const AskOptions& options);
Report ask_backward_time(Analysis& analysis, const AskOptions& options);
Report ask_optimizer_time(Analysis& analysis, const AskOptions& options);
Report ask_top_kernel(Analysis& analysis, const AskOptions& options);
Report ask_besides_matmul(Analysis& analysis, const AskOptions& options);
Report ask_class_shares(Analysis& analysis, const AskOptions& options);
Report ask_attention(Analysis& analysis, const AskOptions& options);
Report ask_idle(Analysis& analysis, const AskOptions& options);
Report ask_launch_bound(Analysis& analysis, const AskOptions& options);
Report ask_communication(Analysis& analysis, const AskOptions& options);
Report ask_copies(Analysis& analysis, const AskOptions& options);
Report ask_iterations(Analysis& analysis, const AskOptions& options);

}  // namespace assay::trace
