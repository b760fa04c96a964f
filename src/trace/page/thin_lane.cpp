#include "trace/page/thin_lane.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "trace/figures.hpp"

namespace assay::trace {
namespace {

std::int64_t length(const TimelineSpan& span) {
  return span.end_ns - span.start_ns;
}

PageBar bar_of(const TimelineSpan& span) {
  return {.start_ns = span.start_ns,
          .end_ns = std::max(span.start_ns, span.end_ns),
          .label = span.label};
}

/// Collects short spans until one starts in another piece of the lane.
class Merger {
 public:
  Merger(std::int64_t origin, std::int64_t piece, std::vector<PageBar>& bars)
      : origin_(origin), piece_(piece), bars_(bars) {}

  void add(const TimelineSpan& span) {
    const std::int64_t index = (span.start_ns - origin_) / piece_;
    if (open_ && index == index_) {
      open_->end_ns = std::max(open_->end_ns, span.end_ns);
      ++open_->count;
      if (length(span) > longest_) open_->label = span.label;
      longest_ = std::max(longest_, length(span));
      return;
    }
    close();
    open_ = bar_of(span);
    longest_ = length(span);
    index_ = index;
  }

  void close() {
    if (open_) bars_.push_back(*open_);
    open_.reset();
  }

 private:
  std::int64_t origin_;
  std::int64_t piece_;
  std::vector<PageBar>& bars_;
  std::optional<PageBar> open_;
  std::int64_t longest_ = 0;
  std::int64_t index_ = 0;
};

std::vector<PageBar> thin_ordered(const std::vector<TimelineSpan>& ordered, std::size_t limit) {
  std::vector<PageBar> bars;
  if (ordered.size() <= limit || limit == 0) {
    bars.reserve(ordered.size());
    std::ranges::transform(ordered, std::back_inserter(bars), bar_of);
    return bars;
  }
  const std::int64_t origin = ordered.front().start_ns;
  const std::int64_t end = std::ranges::max(ordered, {}, &TimelineSpan::end_ns).end_ns;
  const std::int64_t piece =
      std::max<std::int64_t>(1, (end - origin) / static_cast<std::int64_t>(limit));
  Merger merger(origin, piece, bars);
  for (const TimelineSpan& span : ordered) {
    if (length(span) < piece) {
      merger.add(span);
    } else {
      merger.close();
      bars.push_back(bar_of(span));
    }
  }
  merger.close();
  return bars;
}

}  // namespace

std::vector<PageBar> thin_lane(const std::vector<TimelineSpan>& spans, std::size_t limit) {
  // Lanes hold millions and come in order as a rule: then they are not copied.
  if (!std::ranges::is_sorted(spans, {}, &TimelineSpan::start_ns)) {
    std::vector<TimelineSpan> sorted = spans;
    std::ranges::stable_sort(sorted, {}, &TimelineSpan::start_ns);
    return thin_ordered(sorted, limit);
  }
  return thin_ordered(spans, limit);
}

}  // namespace assay::trace
