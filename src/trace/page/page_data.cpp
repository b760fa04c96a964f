#include "trace/page/page_data.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/figures.hpp"
#include "trace/json_writer.hpp"
#include "trace/page/thin_lane.hpp"
#include "trace/page/tiles.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kBarsOfLane = 4000;  // about twice what a wide screen can tell apart
constexpr std::size_t kLanes = 64;
constexpr std::size_t kSlicesOfGroup = 24;

std::int64_t earliest(const Timeline& timeline) {
  std::int64_t start = std::numeric_limits<std::int64_t>::max();
  for (const TimelineLane& lane : timeline.lanes) {
    for (const TimelineSpan& span : lane.spans) start = std::min(start, span.start_ns);
  }
  return start;
}

/// Group names in order of first use.
class Groups {
 public:
  std::uint64_t index(const std::string& name) {
    const auto [found, added] = index_.try_emplace(name, names_.size());
    if (added) names_.push_back(name);
    return found->second;
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::uint64_t> index_;
  std::vector<std::string> names_;
};

/// Starts as differences from the bar before: shorter numbers, and the page's largest part.
void write_lane(JsonWriter& json, std::string_view name, const std::vector<PageBar>& bars,
                const std::vector<Tile>& tiles, std::int64_t origin) {
  json.begin_object().key("name").string(name);
  json.key("s").begin_array();
  std::int64_t before = origin;
  for (const PageBar& bar : bars) {
    json.integer(bar.start_ns - before);
    before = bar.start_ns;
  }
  json.end_array().key("d").begin_array();
  for (const PageBar& bar : bars) json.integer(bar.end_ns - bar.start_ns);
  json.end_array().key("l").begin_array();
  for (const PageBar& bar : bars) json.integer(std::uint64_t{bar.label});
  json.end_array();
  if (std::ranges::any_of(bars, [](const PageBar& bar) { return bar.count > 1; })) {
    json.key("n").begin_array();
    for (const PageBar& bar : bars) json.integer(bar.count);
    json.end_array();
  }
  if (!tiles.empty()) {
    json.key("t").begin_array();
    for (const Tile& tile : tiles) {
      json.begin_array().integer(tile.start_ns - origin).integer(tile.end_ns - origin);
      json.integer(std::uint64_t{tile.count}).string(tile.packed).end_array();
    }
    json.end_array();
  }
  json.end_object();
}

/// Only the labels that bars use, renumbered: a thinned lane of millions needs few of them.
class UsedLabels {
 public:
  explicit UsedLabels(const Timeline& timeline) : timeline_(timeline) {}

  template <class Bars>
  void renumber(Bars& bars) {
    for (auto& bar : bars) {
      const auto [found, added] =
          numbers_.try_emplace(bar.label, static_cast<std::uint32_t>(used_.size()));
      if (added) used_.push_back(bar.label);
      bar.label = found->second;
    }
  }

  void write(JsonWriter& json, Groups& groups) const {
    json.key("labels").begin_array();
    for (const std::uint32_t label : used_) {
      const bool known = label < timeline_.labels.size();
      const std::string text = known ? timeline_.labels[label].text : "";
      const std::string group = known ? timeline_.labels[label].group : "other";
      json.begin_array().string(text).integer(groups.index(group)).end_array();
    }
    json.end_array();
  }

 private:
  const Timeline& timeline_;
  std::map<std::uint32_t, std::uint32_t> numbers_;
  std::vector<std::uint32_t> used_;
};

void write_timeline(JsonWriter& json, const Timeline& timeline) {
  const std::int64_t origin = earliest(timeline);
  std::int64_t end = origin;
  UsedLabels labels(timeline);
  Groups groups;
  json.begin_object().key("lanes").begin_array();
  for (std::size_t i = 0; i < std::min(kLanes, timeline.lanes.size()); ++i) {
    std::vector<PageBar> bars = thin_lane(timeline.lanes[i].spans, kBarsOfLane);
    for (const PageBar& bar : bars) end = std::max(end, bar.end_ns);
    labels.renumber(bars);
    // What thinning drew as one is there in full too, packed, for those who look closely.
    std::vector<Tile> tiles;
    if (bars.size() < timeline.lanes[i].spans.size()) {
      std::vector<TimelineSpan> spans = timeline.lanes[i].spans;
      labels.renumber(spans);
      tiles = tiles_of(spans);
    }
    write_lane(json, timeline.lanes[i].name, bars, tiles, origin);
  }
  json.end_array();
  labels.write(json, groups);
  json.key("groups").begin_array();
  for (const std::string& name : groups.names()) json.string(name);
  json.end_array();
  json.key("span").integer(end - origin).end_object();
}

void write_slice(JsonWriter& json, const Slice& slice) {
  json.begin_array().string(slice.label).string(slice.group).real(slice.value).end_array();
}

/// The largest of each group, the rest of it as one.
void write_breakdown(JsonWriter& json, const Breakdown& breakdown) {
  std::vector<Slice> slices = breakdown.slices;
  std::erase_if(slices, [](const Slice& slice) { return !(slice.value > 0); });
  std::ranges::stable_sort(slices, std::greater{}, &Slice::value);
  std::map<std::string, std::size_t> shown;
  std::map<std::string, std::pair<std::size_t, double>> rest;
  json.begin_object().key("title").string(breakdown.title).key("unit").string(breakdown.unit);
  json.key("slices").begin_array();
  for (const Slice& slice : slices) {
    if (shown[slice.group]++ < kSlicesOfGroup) {
      write_slice(json, slice);
    } else {
      ++rest[slice.group].first;
      rest[slice.group].second += slice.value;
    }
  }
  for (const auto& [group, sum] : rest) {
    write_slice(json,
                {.label = fmt::format("{} more", sum.first), .group = group, .value = sum.second});
  }
  json.end_array().end_object();
}

void write_roofline(JsonWriter& json, const Roofline& roofline) {
  json.begin_object().key("title").string(roofline.title);
  json.key("bytes_per_second").real(roofline.bytes_per_second);
  json.key("ceilings").begin_array();
  for (const RooflineCeiling& ceiling : roofline.ceilings) {
    json.begin_object().key("name").string(ceiling.name);
    json.key("rate").real(ceiling.flop_per_second).end_object();
  }
  json.end_array().key("points").begin_array();
  for (const RooflinePoint& point : roofline.points) {
    json.begin_object().key("label").string(point.label).key("ceiling").string(point.ceiling);
    json.key("intensity").real(point.flop_per_byte).key("rate").real(point.flop_per_second);
    json.key("ns").real(point.duration_ns).end_object();
  }
  json.end_array().end_object();
}

/// A `<` is only ever inside a string, where this means the same.
std::string without_tags(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string page_data(const Figures& figures) {
  JsonWriter json;
  json.begin_object();
  if (figures.timeline) {
    json.key("timeline");
    write_timeline(json, *figures.timeline);
  }
  if (figures.breakdown) {
    json.key("breakdown");
    write_breakdown(json, *figures.breakdown);
  }
  json.key("rooflines").begin_array();
  for (const Roofline& roofline : figures.rooflines) write_roofline(json, roofline);
  json.end_array().end_object();
  return without_tags(std::move(json).take());
}

}  // namespace assay::trace
