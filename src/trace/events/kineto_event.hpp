#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/events/assemble.hpp"
#include "trace/events/events.hpp"
#include "trace/events/interner.hpp"
#include "trace/events/kineto_ranks.hpp"

namespace assay::trace {

// Private to kineto*.cpp.

/// One element of `traceEvents`, of the fields used here.
struct KinetoEvent {
  std::string phase;
  std::string category;
  std::string name;
  std::string pid;  // a number or a text such as "Spans"
  std::string tid;
  std::optional<std::int64_t> start;     // nanoseconds
  std::optional<std::int64_t> duration;  // nanoseconds
  std::int64_t correlation = 0;
  std::int64_t device = 0;
  std::int64_t context = 0;
  std::int64_t stream = 0;
  std::int64_t bytes = 0;
  std::int64_t graph_node = 0;
  Shape shape;
  std::vector<std::pair<std::string, double>> numbers;  // all of `args`, for counters
};

/// Microseconds as JSON writes them ("4458676522690.655") in nanoseconds, exactly; nothing where
/// they are no time.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of(std::string_view microseconds);

/// Adds events to the tables of a trace.
class KinetoTables {
 public:
  void add(const KinetoEvent& event);
  [[nodiscard]] Trace finish();
  [[nodiscard]] Capture& capture() { return out_.trace.capture; }

 private:
  void add_complete(const KinetoEvent& event);
  void add_work(const KinetoEvent& event, Work& work);
  void add_kernel(const KinetoEvent& event);
  void add_range(const KinetoEvent& event, std::string_view domain);
  void add_counters(const KinetoEvent& event);
  void leave_out(std::string_view name, std::string_view detail);
  std::uint32_t thread(const KinetoEvent& event);
  std::uint32_t function(std::string_view name);
  std::uint32_t shape(const Shape& shape);
  void rebase();
  void add_queues();

  Assembly out_;
  KinetoRanks ranks_;
  std::unordered_map<std::string, std::uint32_t> threads_;
  std::vector<std::uint32_t> host_of_thread_;
  std::unordered_map<std::uint32_t, std::uint32_t> functions_;  // by name
  struct QueueHash {
    std::size_t operator()(const std::array<std::int64_t, 4>& key) const {
      return hash_of(key[0], key[1], key[2], key[3]);
    }
  };
  Interner<std::array<std::int64_t, 4>, QueueHash> queues_;  // group, device, context, stream
  struct ShapeHash {
    std::size_t operator()(const Shape& s) const {
      return hash_of(s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2]);
    }
  };
  Interner<Shape, ShapeHash> shapes_;
};

}  // namespace assay::trace
