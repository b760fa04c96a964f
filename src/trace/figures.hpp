#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::trace {

/// One bar of a timeline lane. Bars of a lane may overlap. The renderer merges those that would lie
/// inside one pixel, so a lane may hold millions.
struct TimelineSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t label = 0;  // index into Timeline::labels
};

struct TimelineLane {
  std::string name;  // "GPU 0 stream 7", "forward (NVTX)"
  std::vector<TimelineSpan> spans;
};

/// A label and the class that gives it its colour: a kernel's name and "gemm".
struct TimelineLabel {
  std::string text;
  std::string group;
};

struct Timeline {
  std::vector<TimelineLabel> labels;
  std::vector<TimelineLane> lanes;
};

/// A share of a whole: drawn as a treemap, grouped and coloured by `group`.
struct Slice {
  std::string label;
  std::string group;
  double value = 0;
};

struct Breakdown {
  std::string title;
  std::string unit;  // "ns"
  std::vector<Slice> slices;
};

/// Achieved work of one kernel against a device's ceilings.
struct RooflinePoint {
  std::string label;
  std::string ceiling;  // the name of the compute ceiling that bounds it
  double flop_per_byte = 0;
  double flop_per_second = 0;
  double duration_ns = 0;  // sizes the point
};

struct RooflineCeiling {
  std::string name;
  double flop_per_second = 0;
};

struct Roofline {
  std::string title;
  double bytes_per_second = 0;  // the slope
  std::vector<RooflineCeiling> ceilings;
  std::vector<RooflinePoint> points;
};

/// What a page can draw beside its tables.
struct Figures {
  std::optional<Timeline> timeline;
  std::optional<Breakdown> breakdown;
  std::vector<Roofline> rooflines;  // one per device
};

}  // namespace assay::trace
