#include "trace/events/events.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace assay::trace {

std::string_view to_string(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
      return "host_to_device";
    case CopyKind::device_to_host:
      return "device_to_host";
    case CopyKind::device_to_device:
      return "device_to_device";
    case CopyKind::peer_to_peer:
      return "peer_to_peer";
    case CopyKind::host_to_host:
      return "host_to_host";
    case CopyKind::unified_host_to_device:
      return "unified_host_to_device";
    case CopyKind::unified_device_to_host:
      return "unified_device_to_host";
    case CopyKind::unified_device_to_device:
      return "unified_device_to_device";
    case CopyKind::unknown:
      break;
  }
  return "unknown";
}

std::string_view to_string(SourceFormat format) {
  return format == SourceFormat::kineto ? "kineto" : "nsys_sqlite";
}

std::vector<std::int64_t> Trace::devices() const {
  std::set<std::int64_t> ids;
  for (const Queue& queue : queues) ids.insert(queue.device);
  return {ids.begin(), ids.end()};
}

std::array<std::int64_t, 2> Trace::extent() const {
  std::array<std::int64_t, 2> extent{};
  bool any = false;
  const auto widen = [&](const Spans& spans) {
    if (spans.empty()) return;
    const std::int64_t first = spans.start.front();
    const std::int64_t last = *std::ranges::max_element(spans.end);
    extent = any ? std::array{std::min(extent[0], first), std::max(extent[1], last)}
                 : std::array{first, last};
    any = true;
  };
  for (const Work* table : work()) widen(*table);
  widen(calls);
  widen(ranges);
  return extent;
}

}  // namespace assay::trace
