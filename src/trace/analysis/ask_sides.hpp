#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

// Private to ask_kernels.cpp: what its questions are about, and what that is compared with.

/// Kernels of one side of a comparison.
struct Side {
  std::string label;
  std::vector<NamedSummary> kernels;  // by the names that are shown
  std::vector<NamedSummary> full;     // by full names, which tell the class
  std::size_t passes = 0;             // how often what it is about ran; 0: it is the whole profile
  std::string left_out;               // as a sentence
  std::int64_t in_graphs = 0;         // time of graphs whose kernels are not recorded
  std::int64_t in_no_range = 0;       // of kernels whose call is not recorded, wherever they belong

  /// Time that it may have and that is not told by kernel.
  [[nodiscard]] std::int64_t unseen() const { return in_graphs + in_no_range; }
  /// Whether what is recorded of it is the lesser part.
  [[nodiscard]] bool mostly_unseen() const { return unseen() > total_of(kernels) || unnamed(); }
  /// Whether the profile lacks the names of the kernels that take the most of it.
  [[nodiscard]] bool unnamed() const {
    return std::ranges::any_of(full, [&](const NamedSummary& kernel) {
      return kernel.name == kUnnamed && 2 * kernel.summary.total > total_of(full);
    });
  }
  /// Whether a kernel that is not known to be in it may take more than the first that is.
  [[nodiscard]] bool top_may_be_unseen() const {
    return (unseen() > 0 && unseen() >= kernels.front().summary.total) ||
           kernels.front().name == kUnnamed;
  }
};

/// What a forward pass is compared with where nothing else was asked for.
enum class Usual : std::uint8_t { backward_too, training };

/// What a question is about: the range asked for, or the forward pass, or all of the profile.
[[nodiscard]] Result<Side> side_of(Analysis& analysis, std::string_view range,
                                   const AskOptions& options, std::string_view file);

/// What to compare with, if anything was asked for or is usual.
[[nodiscard]] Result<std::optional<Side>> other_side(Analysis& analysis, const AskOptions& options,
                                                     Usual usual);

}  // namespace assay::trace
