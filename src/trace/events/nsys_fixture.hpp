#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events/events.hpp"

struct sqlite3;

namespace assay::trace {

/// Which release's export a fixture imitates: tables and columns came and went.
enum class NsysRelease : std::uint8_t {
  v2_9,   // 2022.1: EXPORT_META_DATA, no enumeration tables
  v3_0,   // 2022.4
  v3_13,  // 2024.5: META_DATA_EXPORT, greenContextId
  v3_17,  // 2025.1: copyCount
  v3_25,  // 2026.2: graphId, clusters
};

struct FixtureKernel {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::string name;
  std::string short_name;  // empty: the bare identifier of the name
  std::uint32_t correlation = 0;
  std::int64_t device = 0;
  std::int64_t stream = 7;
  std::uint64_t pid = 100;
  std::uint64_t graph_node = 0;
  Shape shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
};

struct FixtureCall {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::string name = "cudaLaunchKernel_v7000";
  std::uint32_t correlation = 0;
  std::uint64_t pid = 100;
  std::uint64_t tid = 100;
  int event_class = 0;
};

struct FixtureCopy {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t bytes = 0;
  int kind = 1;  // CUPTI's number
  std::uint32_t correlation = 0;
  std::int64_t device = 0;
  std::int64_t stream = 7;
  std::uint64_t pid = 100;
};

struct FixtureRange {
  std::int64_t start = 0;
  std::optional<std::int64_t> end;  // none: never closed
  std::string name;
  std::uint64_t pid = 100;
  std::uint64_t tid = 100;
  std::int64_t domain = 0;
  int type = 59;
  bool registered = false;  // name in textId, not in text
  std::optional<std::uint64_t> end_tid;
};

/// A kernel together with the call that launches it.
struct FixtureLaunch {
  std::int64_t call_start = 0;
  std::int64_t call_end = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::string name;
  std::int64_t device = 0;
  std::int64_t stream = 7;
  std::uint64_t pid = 100;
  std::uint64_t tid = 100;
  Shape shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
};

/// Makes small Nsight Systems exports for tests. A failing statement ends the program: a fixture
/// that is not what the test says would make the test mean nothing.
class NsysFixture {
 public:
  explicit NsysFixture(NsysRelease release = NsysRelease::v3_25);
  NsysFixture(const NsysFixture&) = delete;
  NsysFixture& operator=(const NsysFixture&) = delete;
  NsysFixture(NsysFixture&&) = delete;
  NsysFixture& operator=(NsysFixture&&) = delete;
  ~NsysFixture();

  NsysFixture& kernel(const FixtureKernel& kernel);
  NsysFixture& call(const FixtureCall& call);
  NsysFixture& launch(const FixtureLaunch& launch);
  NsysFixture& copy(const FixtureCopy& copy);
  NsysFixture& fill(const FixtureCopy& fill);
  NsysFixture& graph(std::int64_t start, std::int64_t end, std::uint64_t graph_id,
                     std::uint32_t correlation);
  NsysFixture& range(const FixtureRange& range);
  NsysFixture& domain(std::int64_t id, std::string_view name, std::uint64_t pid = 100);
  NsysFixture& gpu(std::int64_t id, std::string_view name);
  NsysFixture& command(const std::vector<std::string>& argv);
  /// Any statement, for what the others do not do.
  NsysFixture& sql(const std::string& statement);

  [[nodiscard]] std::vector<std::byte> image() const;
  void write(const std::filesystem::path& path) const;

 private:
  std::int64_t string_id(std::string_view text);
  void create(std::string_view table, const std::string& columns);

  sqlite3* database_ = nullptr;
  NsysRelease release_;
  std::map<std::string, std::int64_t, std::less<>> strings_;
  std::map<std::string, bool, std::less<>> tables_;
  std::uint32_t next_correlation_ = 1'000'000;
};

/// What it says, as the product reads it.
[[nodiscard]] Trace read_fixture(const NsysFixture& fixture);

}  // namespace assay::trace
