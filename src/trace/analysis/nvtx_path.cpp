#include "trace/analysis/nvtx_path.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/analysis.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

/// ncu separates the parts of an expression by these signs.
std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view("/@,[]*+\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// Rows of the push/pop ranges of a domain around a call, outermost first.
std::vector<std::uint32_t> stack_of(Analysis& analysis, std::uint32_t call, std::uint32_t domain) {
  const Ranges& ranges = analysis.trace().ranges;
  std::vector<std::uint32_t> stack;
  for (const std::uint32_t row : analysis.attribution().same_thread.of_call(call)) {
    if (ranges.domain[row] == domain && ranges.style[row] == RangeStyle::push_pop) {
      stack.push_back(row);
    }
  }
  return stack;
}

}  // namespace

NvtxPath nvtx_path(Analysis& analysis, std::uint32_t call,
                   const std::vector<std::uint8_t>& ranges) {
  const Trace& trace = analysis.trace();
  if (ranges.empty() || call == kNone) return {};
  if (trace.capture.format == SourceFormat::kineto) return {};  // PyTorch's own, not NVTX's
  std::uint32_t asked = kNone;                                  // the innermost that was asked for
  for (const std::uint32_t row : analysis.attribution().same_thread.of_call(call)) {
    if (ranges[row] != 0) asked = row;
  }
  if (asked == kNone || trace.ranges.style[asked] != RangeStyle::push_pop) return {};
  NvtxPath path{.domain = trace.ranges.domain[asked]};
  const std::string_view domain = trace.strings.view(path.domain);
  path.expression = domain.empty() ? "[" : fmt::format("{}@[", escaped(domain));
  // A framework numbers its ranges, so that they have other names in another run: whatever stands
  // in their place will do.
  bool hole = false;
  for (const std::uint32_t row : stack_of(analysis, call, path.domain)) {
    const bool automatic = (trace.ranges.flags[row] & range_automatic) != 0 && row != asked;
    hole |= automatic;
    if (!automatic) {
      if (!path.names.empty()) path.expression += hole ? "/*/" : "/";
      if (path.names.empty() && hole) path.expression.pop_back();  // not at the bottom of the stack
      path.expression += escaped(trace.strings.view(trace.ranges.name[row]));
      path.names.push_back(trace.ranges.name[row]);
      hole = false;
    }
    if (row == asked) break;
  }
  if (path.names.size() == 1 && path.expression.find('[') == std::string::npos) {
    path.expression += "/";  // what tells a push/pop range from one that is started and ended
  }
  return path;
}

bool NvtxPath::holds(Analysis& analysis, std::uint32_t call) const {
  const Trace& trace = analysis.trace();
  std::size_t matched = 0;
  for (const std::uint32_t row : stack_of(analysis, call, domain)) {
    if (matched == names.size()) break;
    if (trace.ranges.name[row] == names[matched]) {
      ++matched;
    } else if ((trace.ranges.flags[row] & range_automatic) == 0) {
      return false;  // a range of the author's that the path does not have
    }
  }
  return matched == names.size();
}

}  // namespace assay::trace
