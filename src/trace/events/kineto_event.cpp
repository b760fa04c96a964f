#include "trace/events/kineto_event.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "model/kernel_name.hpp"
#include "trace/events/assemble.hpp"
#include "trace/events/events.hpp"
#include "trace/events/range_name.hpp"

namespace assay::trace {
namespace {

enum class Kind : std::uint8_t {
  kernel,
  copy,
  fill,
  call,
  annotation,
  operation,
  any_range,
  python,
  counters,
  derived,
  ignored,
  unknown,
};

// Old traces capitalise categories and call operators and runtime calls otherwise. In them the
// author's annotations are operators too.
Kind kind_of(std::string_view category) {
  struct Named {
    std::string_view category;
    Kind kind;
  };
  constexpr auto kKinds = std::to_array<Named>({
      {"kernel", Kind::kernel},
      {"Kernel", Kind::kernel},
      {"gpu_memcpy", Kind::copy},
      {"Memcpy", Kind::copy},
      {"gpu_memset", Kind::fill},
      {"Memset", Kind::fill},
      {"cuda_runtime", Kind::call},
      {"cuda_driver", Kind::call},
      {"Runtime", Kind::call},
      {"user_annotation", Kind::annotation},
      {"cpu_op", Kind::operation},
      {"Operator", Kind::any_range},
      {"python_function", Kind::python},
      {"cuda_profiler_range", Kind::counters},
      {"gpu_user_annotation", Kind::derived},
      {"Trace", Kind::ignored},
      {"cuda_sync", Kind::ignored},
      {"overhead", Kind::ignored},
  });
  for (const Named& named : kKinds) {
    if (named.category == category) return named.kind;
  }
  return Kind::unknown;
}

CopyKind copy_kind(std::string_view name) {
  struct Named {
    std::string_view text;
    CopyKind kind;
  };
  constexpr auto kKinds = std::to_array<Named>({
      {"HtoD", CopyKind::host_to_device},
      {"DtoH", CopyKind::device_to_host},
      {"DtoD", CopyKind::device_to_device},
      {"PtoP", CopyKind::peer_to_peer},
      {"HtoH", CopyKind::host_to_host},
  });
  for (const Named& named : kKinds) {
    if (name.find(named.text) != std::string_view::npos) return named.kind;
  }
  return CopyKind::unknown;
}

std::uint64_t natural(std::int64_t value) {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

std::uint32_t correlation_of(const KinetoEvent& event) {
  return std::in_range<std::uint32_t>(event.correlation)
             ? static_cast<std::uint32_t>(event.correlation)
             : 0;
}

/// Whether a range of a trace that does not tell them apart is an operator by its name, or a node
/// of autograd such as AddmmBackward0.
bool names_operator(std::string_view name) {
  constexpr std::string_view kNode = "Backward";
  if (name.find("::") != std::string_view::npos) return true;
  name = name.substr(0, name.find_last_not_of("0123456789") + 1);
  return name.ends_with(kNode) && name.size() > kNode.size();
}

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::optional<std::int64_t> nanoseconds_of(std::string_view microseconds) {
  const bool negative = microseconds.starts_with('-');
  if (negative) microseconds.remove_prefix(1);
  const std::size_t point = microseconds.find('.');
  std::string_view whole = microseconds.substr(0, point);
  std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : microseconds.substr(point + 1);
  if (whole.empty() || !all_digits(whole) || !all_digits(fraction)) {
    // An exponent: no profiler writes one, and a double is then as good as it gets.
    double value = 0;
    const auto [end, error] =
        std::from_chars(microseconds.data(), microseconds.data() + microseconds.size(), value);
    if (error != std::errc{} || !(std::abs(value) < static_cast<double>(kLatestTime) / 1000)) {
      return std::nullopt;
    }
    return std::llround((negative ? -value : value) * 1000);
  }
  std::array<char, 4> thousandths = {'0', '0', '0', '0'};
  std::copy_n(fraction.begin(), std::min(fraction.size(), thousandths.size()), thousandths.begin());
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (error != std::errc{} || value >= kLatestTime / 1000) return std::nullopt;
  for (const char digit : {thousandths[0], thousandths[1], thousandths[2]}) {
    value = value * 10 + (digit - '0');
  }
  if (thousandths[3] >= '5') ++value;
  return negative ? -value : value;
}

void KinetoTables::leave_out(std::string_view name, std::string_view detail) {
  out_.trace.diagnostics.add(name, detail);
}

std::uint32_t KinetoTables::thread(const KinetoEvent& event) {
  const std::uint32_t host = ranks_.host(event.pid, kind_of(event.category) == Kind::call);
  const std::string key = event.pid + '/' + event.tid;
  const auto [found, added] =
      threads_.try_emplace(key, static_cast<std::uint32_t>(out_.trace.threads.size()));
  if (added) {
    std::uint64_t tid = 0;
    std::from_chars(event.tid.data(), event.tid.data() + event.tid.size(), tid);
    out_.trace.threads.push_back({.process = 0, .tid = tid});
    host_of_thread_.push_back(host);
  }
  return found->second;
}

std::uint32_t KinetoTables::function(std::string_view name) {
  Trace& trace = out_.trace;
  const std::uint32_t id = trace.strings.intern(name);
  const auto [found, added] =
      functions_.try_emplace(id, static_cast<std::uint32_t>(trace.functions.size()));
  if (added) {
    trace.functions.push_back(
        {.name = id, .short_name = trace.strings.intern(short_kernel_name(name))});
  }
  return found->second;
}

void KinetoTables::add_work(const KinetoEvent& event, Work& work) {
  work.start.push_back(*event.start);
  work.end.push_back(*event.start + *event.duration);
  work.queue.push_back(
      queues_({ranks_.group(event.pid), event.device, event.context, event.stream}));
  work.call.push_back(correlation_of(event));
}

void KinetoTables::add_kernel(const KinetoEvent& event) {
  Kernels& kernels = out_.trace.kernels;
  add_work(event, kernels);
  kernels.function.push_back(function(event.name));
  kernels.shape.push_back(shapes_(event.shape));
  const std::uint64_t node = natural(event.graph_node);
  if (node != 0) kernels.graph_node.resize(kernels.start.size() - 1);
  if (node != 0 || !kernels.graph_node.empty()) kernels.graph_node.push_back(node);
}

void KinetoTables::add_range(const KinetoEvent& event, std::string_view domain) {
  Trace& trace = out_.trace;
  Ranges& ranges = trace.ranges;
  const bool automatic = !domain.empty() || is_automatic_range(event.name, "");
  ranges.start.push_back(*event.start);
  ranges.end.push_back(*event.start + *event.duration);
  ranges.name.push_back(trace.strings.intern(canonical_range_name(event.name)));
  ranges.thread.push_back(thread(event));
  ranges.domain.push_back(trace.strings.intern(domain));
  ranges.style.push_back(RangeStyle::push_pop);
  ranges.flags.push_back(automatic ? range_automatic : 0);
}

void KinetoTables::add_counters(const KinetoEvent& event) {
  for (const auto& [metric, value] : event.numbers) {
    out_.trace.counters.push_back({.function = function(event.name),
                                   .metric = out_.trace.strings.intern(metric),
                                   .value = value});
  }
}

void KinetoTables::add_complete(const KinetoEvent& event) {
  const Kind kind = kind_of(event.category);
  if (kind == Kind::ignored) return;
  const bool usable = event.start && event.duration && *event.duration >= 0 &&
                      *event.duration < kLongestTime && *event.start > -kLatestTime &&
                      *event.start < kLatestTime - *event.duration;
  if (!usable) {
    leave_out("events_malformed", "events whose start or duration is missing or absurd");
    return;
  }
  Trace& trace = out_.trace;
  switch (kind) {
    case Kind::kernel:
      add_kernel(event);
      break;
    case Kind::copy:
      add_work(event, trace.copies);
      trace.copies.bytes.push_back(natural(event.bytes));
      trace.copies.kind.push_back(copy_kind(event.name));
      break;
    case Kind::fill:
      add_work(event, trace.fills);
      trace.fills.bytes.push_back(natural(event.bytes));
      break;
    case Kind::call:
      trace.calls.start.push_back(*event.start);
      trace.calls.end.push_back(*event.start + *event.duration);
      trace.calls.thread.push_back(thread(event));
      trace.calls.name.push_back(trace.strings.intern(event.name));
      out_.call_correlation.push_back(correlation_of(event));
      break;
    case Kind::annotation:
      add_range(event, "");
      break;
    case Kind::operation:
      add_range(event, "cpu_op");
      break;
    case Kind::any_range:
      add_range(event, names_operator(event.name) ? "cpu_op" : "");
      break;
    case Kind::python:
      add_range(event, "python_function");
      break;
    case Kind::counters:
      add_counters(event);
      break;
    case Kind::derived:
      leave_out("gpu_annotations_left_out", "the profiler's own projection of annotations");
      break;
    default:
      leave_out("events_of_unknown_category", event.category);
      break;
  }
}

void KinetoTables::add(const KinetoEvent& event) {
  if (event.phase == "X") {
    add_complete(event);
  } else if (event.phase == "B" || event.phase == "E") {
    leave_out("begin_end_events_left_out", "events in two halves, which PyTorch does not write");
  } else if (event.phase.empty()) {
    leave_out("events_malformed", "events without a phase");
  }  // what is left tells nothing of its own: arrows, names of processes, instants
}

void KinetoTables::rebase() {
  Trace& trace = out_.trace;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  const std::array<Spans*, 5> tables = {&trace.kernels, &trace.copies, &trace.fills, &trace.calls,
                                        &trace.ranges};
  for (const Spans* table : tables) {
    for (const std::int64_t start : table->start) first = std::min(first, start);
  }
  if (first == std::numeric_limits<std::int64_t>::max()) return;
  for (Spans* table : tables) {
    for (std::int64_t& start : table->start) start -= first;
    for (std::int64_t& end : table->end) end -= first;
  }
  trace.capture.start_epoch_ns += natural(first);
}

void KinetoTables::add_queues() {
  Trace& trace = out_.trace;
  std::vector<std::uint32_t> process_of_group;
  if (ranks_.merged()) {
    std::vector<std::uint32_t> groups;
    for (const auto& key : queues_.keys()) groups.push_back(static_cast<std::uint32_t>(key[0]));
    process_of_group = ranks_.assign(out_, host_of_thread_, groups);
  } else {
    // One process wrote the file; pids in it may be those of several namespaces.
    trace.processes.push_back({.key = 1});
  }
  Interner<std::array<std::int64_t, 4>, QueueHash> queues;
  std::vector<std::uint32_t> places;
  for (const auto& [group, device, context, stream] : queues_.keys()) {
    const std::uint32_t process =
        process_of_group.empty() ? 0 : process_of_group[static_cast<std::size_t>(group)];
    places.push_back(queues({process, device, context, stream}));
  }
  for (Work* work : {static_cast<Work*>(&trace.kernels), static_cast<Work*>(&trace.copies),
                     static_cast<Work*>(&trace.fills)}) {
    for (std::uint32_t& queue : work->queue) queue = places[queue];
  }
  for (const auto& [process, device, context, stream] : queues.keys()) {
    trace.queues.push_back({.process = static_cast<std::uint32_t>(process),
                            .device = device,
                            .context = context,
                            .stream = stream});
  }
  if (ranks_.merged()) renumber_devices(trace);
}

Trace KinetoTables::finish() {
  Trace& trace = out_.trace;
  trace.capture.format = SourceFormat::kineto;
  if (trace.capture.product.empty()) trace.capture.product = "PyTorch profiler";
  add_queues();
  trace.shapes = shapes_.keys();
  if (trace.kernels.empty()) {
    trace.diagnostics.add("no_kernels", "the profile holds no kernels: was CUDA recorded?");
  }
  rebase();
  return assemble(std::move(out_));
}

}  // namespace assay::trace
