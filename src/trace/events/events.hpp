#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/diagnostics.hpp"
#include "trace/events/string_pool.hpp"

namespace assay::trace {

// The events of one profile, in columns: a row is an index into every vector of its table. Rows
// are in order of start. Times are nanoseconds on the profile's own clock. Names are ids of
// Trace::strings. A capture holds millions of rows, so nothing here is an object per event.

inline constexpr std::uint32_t kNone = 0xFFFF'FFFF;

/// Values beyond this are not times. Below it the difference of any two fits.
inline constexpr std::int64_t kLatestTime = std::int64_t{1} << 61U;
/// Nothing lasts longer: three months. The sum of a thousand durations below it fits.
inline constexpr std::int64_t kLongestTime = std::int64_t{1} << 53U;

struct Process {
  std::uint64_t key = 0;  // unique in the profile: a pid may occur on several machines of one
  std::uint32_t pid = 0;
};

struct Thread {
  std::uint32_t process = 0;  // into Trace::processes
  std::uint64_t tid = 0;
};

/// Where work runs: a stream of a context of a device, as one process numbers them.
struct Queue {
  std::uint32_t process = 0;
  std::int64_t device = 0;
  std::int64_t context = 0;
  std::int64_t stream = 0;
};

/// The name of a kernel that the profile does not name.
inline constexpr std::string_view kUnnamed = "(unnamed)";

/// A kernel's code: every launch of it shares this row of Trace::functions.
struct Function {
  std::uint32_t name = 0;        // demangled, with template arguments
  std::uint32_t short_name = 0;  // the bare identifier
};

/// Grid and block of a launch.
struct Shape {
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

struct Spans {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> end;

  [[nodiscard]] std::size_t size() const { return start.size(); }
  [[nodiscard]] bool empty() const { return start.empty(); }
  [[nodiscard]] std::int64_t duration(std::size_t row) const { return end[row] - start[row]; }
};

/// What a GPU executed.
struct Work : Spans {
  std::vector<std::uint32_t> queue;  // into Trace::queues
  /// The API call that launched it: a row of Trace::calls, or kNone where the profile lacks it.
  std::vector<std::uint32_t> call;
};

struct Kernels : Work {
  std::vector<std::uint32_t> function;    // into Trace::functions
  std::vector<std::uint32_t> shape;       // into Trace::shapes
  std::vector<std::uint64_t> graph_node;  // 0: not part of a graph; empty: none is
};

enum class CopyKind : std::uint8_t {
  host_to_device,
  device_to_host,
  device_to_device,
  peer_to_peer,
  host_to_host,
  unified_host_to_device,
  unified_device_to_host,
  unified_device_to_device,
  unknown,
};

[[nodiscard]] std::string_view to_string(CopyKind kind);

struct Copies : Work {
  std::vector<std::uint64_t> bytes;
  std::vector<CopyKind> kind;
};

/// Memory sets.
struct Fills : Work {
  std::vector<std::uint64_t> bytes;
};

/// CUDA graphs whose nodes the capture did not trace. The kernels inside are not in Kernels.
struct GraphRuns : Work {
  std::vector<std::uint64_t> graph;  // the graph's id
  std::vector<std::uint64_t> executable;
};

/// CUDA runtime and driver calls.
struct Calls : Spans {
  std::vector<std::uint32_t> thread;  // into Trace::threads
  std::vector<std::uint32_t> name;
};

enum class RangeStyle : std::uint8_t { push_pop, start_end };

/// Named stretches of a thread's time: NVTX ranges, the profiler's annotations and operators.
struct Ranges : Spans {
  std::vector<std::uint32_t> name;
  std::vector<std::uint32_t> thread;
  std::vector<std::uint32_t> domain;  // a name; 0: the default domain
  std::vector<RangeStyle> style;
  std::vector<std::uint8_t> flags;  // of RangeFlag
};

enum RangeFlag : std::uint8_t {
  range_open = 1,          // never closed: its end is the last moment of the profile
  range_cross_thread = 2,  // ended by another thread than the one that started it
  range_automatic = 4,     // made by a library or framework, not by the program's author
};

/// A hardware counter the profiler attached to a kernel.
struct Counter {
  std::uint32_t function = 0;
  std::uint32_t metric = 0;  // a name
  double value = 0;
};

enum class SourceFormat : std::uint8_t { nsys_sqlite, kineto };

[[nodiscard]] std::string_view to_string(SourceFormat format);

struct Gpu {
  std::int64_t id = 0;
  std::string name;
  std::uint64_t multiprocessors = 0;  // 0: not recorded, as below
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_bandwidth = 0;  // bytes per second
  std::uint64_t clock_hz = 0;
};

/// Where a profile came from.
struct Capture {
  SourceFormat format = SourceFormat::nsys_sqlite;
  std::string file;
  std::string product;               // "NVIDIA Nsight Systems 2025.1.3.140"
  std::string schema;                // "3.17.2"
  std::string source;                // the file it was exported from, as recorded
  std::vector<std::string> command;  // of the profiled program; empty: not recorded
  std::vector<Gpu> gpus;
  std::uint64_t start_epoch_ns = 0;   // 0: not recorded
  std::string graph_mode;             // "Graph", "Node"; empty: not recorded
  std::vector<std::string> warnings;  // the profiler's own
};

/// A stretch of time.
struct Window {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

struct Trace {
  Capture capture;
  StringPool strings;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Queue> queues;
  std::vector<Function> functions;
  std::vector<Shape> shapes;
  Kernels kernels;
  Copies copies;
  Fills fills;
  GraphRuns graphs;
  Calls calls;
  Ranges ranges;
  std::uint64_t marks = 0;    // moments the program named
  std::uint64_t domains = 0;  // declared by the program or a library
  std::vector<Counter> counters;
  /// The times that a part of a profile (trace_within) is about, in order and apart. The call of
  /// every work is known then, and starts in one of them. Empty: all of the profile.
  std::vector<Window> windows;
  Diagnostics diagnostics;

  /// All that GPUs executed: kernels, copies, fills, graphs.
  [[nodiscard]] std::array<const Work*, 4> work() const {
    return {&kernels, &copies, &fills, &graphs};
  }
  [[nodiscard]] std::string_view function_name(std::uint32_t function) const {
    return strings.view(functions[function].name);
  }
  /// Devices that executed anything, ascending.
  [[nodiscard]] std::vector<std::int64_t> devices() const;
  /// First start and last end of anything; both 0 in an empty profile.
  [[nodiscard]] std::array<std::int64_t, 2> extent() const;
};

}  // namespace assay::trace
