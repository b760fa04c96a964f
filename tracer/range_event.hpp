#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace assay::tracer {

/// Column eventType of NVTX_EVENTS.
enum class EventType : std::int64_t {
  category = 33,
  mark = 34,
  thread_name = 39,
  push_pop = 59,
  start_end = 60,
  domain_create = 75,
  domain_destroy = 76,
};

/// A number that the program gave with a range, of the type it gave.
using Payload = std::variant<std::monostate, std::uint64_t, std::int64_t, double, std::uint32_t,
                             std::int32_t, float>;

/// What a program says of a range or a mark.
struct Label {
  std::string text;
  bool registered = false;  // the program registered the text before
  std::optional<std::uint32_t> category;
  std::optional<std::uint32_t> color;  // ARGB
  Payload payload;
};

/// A row of NVTX_EVENTS.
struct RangeEvent {
  std::uint64_t key = 0;  // its row: an open range is written once open and once closed
  EventType type = EventType::mark;
  std::int64_t start = 0;
  std::optional<std::int64_t> end;
  Label label;
  std::uint32_t domain = 0;
  std::uint32_t thread = 0;
  std::optional<std::uint32_t> end_thread;  // of ranges that may end on another thread
};

}  // namespace assay::tracer
