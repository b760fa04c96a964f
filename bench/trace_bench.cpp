// How fast a large profile is analysed: a made-up Nsight Systems export of five million kernels,
// read and analysed in full, beside two yardsticks run in turn on the same file: SQLite merely
// stepping through the columns that the analysis needs, and the same analysis as a plain Python
// script (bench/reference/trace_analysis.py) would do it.
//
//   trace_bench [KERNELS] [--keep FILE] [--no-python]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testkit/checkout.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/render.hpp"

namespace {

using Seconds = std::chrono::duration<double>;

void check(bool ok, std::string_view what) {
  if (ok) return;
  fmt::print(stderr, "trace_bench: {} failed\n", what);
  std::quick_exit(1);
}

/// A table being filled, one prepared insertion for all rows.
class Inserter {
 public:
  Inserter(sqlite3* database, const std::string& table, const std::string& columns, int count)
      : count_(count) {
    run(database, "CREATE TABLE " + table + " (" + columns + ")");
    std::string sql = "INSERT INTO " + table + " VALUES (?";
    for (int i = 1; i < count; ++i) sql += ",?";
    check(sqlite3_prepare_v2(database, (sql + ")").c_str(), -1, &statement_, nullptr) == SQLITE_OK,
          "prepare " + table);
  }
  Inserter(const Inserter&) = delete;
  Inserter& operator=(const Inserter&) = delete;
  Inserter(Inserter&&) = delete;
  Inserter& operator=(Inserter&&) = delete;
  ~Inserter() { sqlite3_finalize(statement_); }

  void add(std::initializer_list<std::int64_t> values) {
    int column = 1;
    for (const std::int64_t value : values) sqlite3_bind_int64(statement_, column++, value);
    finish(static_cast<int>(values.size()));
  }
  void add(std::int64_t id, const std::string& text) {
    sqlite3_bind_int64(statement_, 1, id);
    sqlite3_bind_text(statement_, 2, text.c_str(), -1, SQLITE_TRANSIENT);
    finish(2);
  }

  static void run(sqlite3* database, const std::string& sql) {
    check(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK, sql);
  }

 private:
  void finish(int given) {
    check(given == count_ && sqlite3_step(statement_) == SQLITE_DONE, "insert");
    sqlite3_reset(statement_);
  }
  sqlite3_stmt* statement_ = nullptr;
  int count_;
};

constexpr std::int64_t kGlobalTid = (std::int64_t{1} << 48U) | (std::int64_t{100} << 24U) | 100;
constexpr std::int64_t kGlobalPid = (std::int64_t{1} << 48U) | (std::int64_t{100} << 24U);
constexpr int kNames = 200;
constexpr int kRangeNames = 50;

/// Steps of a thousand launches: a range per step, one per ten launches, a wait at each end.
class Maker {
 public:
  Maker(sqlite3* database, std::int64_t kernels) : database_(database), kernels_(kernels) {}

  void make() {
    Inserter::run(database_, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    Inserter::run(database_, "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)");
    Inserter::run(database_,
                  "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0')");
    strings();
    events();
    Inserter::run(database_, "COMMIT");
  }

 private:
  void strings() {
    Inserter strings(database_, "StringIds", "id INTEGER PRIMARY KEY, value TEXT", 2);
    for (int i = 0; i < kNames; ++i) {
      strings.add(i, fmt::format("void at::native::kernel_{}<float, (int){}>(T1 *, int)",
                                 i % 7 == 0   ? "gemm"
                                 : i % 5 == 0 ? "softmax"
                                              : "elementwise",
                                 i));
    }
    for (int i = 0; i < kRangeNames; ++i) strings.add(1000 + i, fmt::format("layer {}", i));
    strings.add(2000, "cudaLaunchKernel_v7000");
    strings.add(2001, "cudaStreamSynchronize_v3020");
    strings.add(2002, "step");
  }

  void events() {
    Inserter kernels(
        database_, "CUPTI_ACTIVITY_KIND_KERNEL",
        "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, greenContextId "
        "INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "demangledName INTEGER, shortName INTEGER, mangledName INTEGER, launchType "
        "INTEGER, cacheConfig INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY "
        "INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, "
        "staticSharedMemory INTEGER, dynamicSharedMemory INTEGER",
        22);
    Inserter calls(
        database_, "CUPTI_ACTIVITY_KIND_RUNTIME",
        "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId "
        "INTEGER, nameId INTEGER, returnValue INTEGER",
        7);
    Inserter ranges(
        database_, "NVTX_EVENTS",
        "start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, textId INTEGER, "
        "domainId INTEGER",
        6);
    std::mt19937 random(1);
    std::int64_t host = 0;
    std::array<std::int64_t, 2> stream{};
    std::int64_t range_start = 0;
    std::int64_t step_start = 0;
    for (std::int64_t i = 0; i < kernels_; ++i) {
      const auto name = static_cast<std::int64_t>(random() % kNames);
      const std::size_t on = random() % 16 == 0 ? 1 : 0;
      const std::int64_t took = 2000 + name * 40 + static_cast<std::int64_t>(random() % 500);
      const std::int64_t start = std::max(host + 4000, stream[on] + 800);
      calls.add({host, host + 2500, 0, kGlobalTid, i + 1, 2000, 0});
      kernels.add({start,    start + took,
                   0,        1,
                   0,        static_cast<std::int64_t>(7 + on),
                   i + 1,    kGlobalPid,
                   name,     name,
                   name,     0,
                   0,        64,
                   1 + name, 1,
                   1,        128,
                   1,        1,
                   0,        0});
      stream[on] = start + took;
      host += 5000;
      if (i % 10 == 9) {
        ranges.add({range_start, host, 59, kGlobalTid, 1000 + (i / 10) % kRangeNames, 0});
        range_start = host;
      }
      if (i % 1000 == 999) {
        const std::int64_t until = std::max(host, std::max(stream[0], stream[1])) + 1000;
        calls.add({host, until, 0, kGlobalTid, kernels_ + i, 2001, 0});
        host = until;
        ranges.add({step_start, host, 59, kGlobalTid, 2002, 0});
        step_start = host;
        range_start = host;
      }
    }
  }

  sqlite3* database_;
  std::int64_t kernels_;
};

void make_profile(const std::filesystem::path& path, std::int64_t kernels) {
  std::filesystem::remove(path);
  sqlite3* database = nullptr;
  check(sqlite3_open(path.c_str(), &database) == SQLITE_OK, "open");
  Maker(database, kernels).make();
  sqlite3_close(database);
}

/// Steps through the columns the reader asks for, reading each and keeping nothing.
std::int64_t scan(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  check(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK,
        "open");
  std::int64_t sum = 0;
  for (const char* sql :
       {"SELECT start, end, correlationId, globalPid, deviceId, contextId, streamId, "
        "demangledName, "
        "shortName, gridX, gridY, gridZ, blockX, blockY, blockZ FROM CUPTI_ACTIVITY_KIND_KERNEL",
        "SELECT start, end, globalTid, correlationId, nameId, eventClass FROM "
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "SELECT start, end, eventType, textId, globalTid, domainId FROM NVTX_EVENTS"}) {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) == SQLITE_OK, sql);
    const int columns = sqlite3_column_count(statement);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int i = 0; i < columns; ++i) sum += sqlite3_column_int64(statement, i);
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(database);
  return sum;
}

std::size_t analyse(const std::filesystem::path& path) {
  const auto trace = assay::trace::read_nsys_sqlite(path);
  check(trace.has_value(), "read");
  const assay::trace::OpClassifier classifier;
  assay::trace::Analysis analysis(*trace, classifier);
  const auto report = assay::trace::make_report(analysis, {.reports = {"all"}});
  check(report.has_value(), "analyse");
  return assay::trace::render(*report, assay::trace::Format::json).size();
}

struct Run {
  Seconds took{};
  Seconds cpu{};  // of all its threads: what counts where the machine is shared
  double peak_mib = 0;
};

Seconds seconds_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

/// Runs `work` in a process of its own, so that the memory it takes is its own.
template <class Work>
Run in_child(std::string_view what, Work work) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  check(child >= 0, "fork");
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  check(wait4(child, &status, 0, &usage) == child && status == 0, what);
  Run run{.took = std::chrono::steady_clock::now() - start,
          .cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
          .peak_mib = static_cast<double>(usage.ru_maxrss) / 1024};
  fmt::print("{:<34}{:>9.2f} s  {:>9.2f} CPU s  {:>8.0f} MiB\n", what, run.took.count(),
             run.cpu.count(), run.peak_mib);
  std::fflush(stdout);
  return run;
}

}  // namespace

int main(int argc, char** argv) try {
  std::int64_t kernels = 5'000'000;
  bool python = true;
  std::filesystem::path kept;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--no-python") {
      python = false;
    } else if (argument == "--keep" && i + 1 < argc) {
      kept = argv[++i];
    } else {
      kernels = std::atoll(argv[i]);
    }
  }
  check(kernels > 0, "a number of kernels");
  const std::filesystem::path path =
      kept.empty()
          ? std::filesystem::temp_directory_path() / fmt::format("trace_bench_{}.sqlite", getpid())
          : kept;
  make_profile(path, kernels);
  fmt::print("{} kernels, {} MiB\n", kernels, std::filesystem::file_size(path) >> 20U);
  in_child("(reading the file once)", [&] { scan(path); });

  // In turn, twice, and the better of each: the machine may be shared.
  Run scanned{.took = Seconds(1e9)};
  Run analysed{.took = Seconds(1e9)};
  for (int turn = 0; turn < 2; ++turn) {
    const Run a = in_child("SQLite scanning the tables", [&] { scan(path); });
    const Run b = in_child("assay, every report, as JSON", [&] { analyse(path); });
    if (a.took < scanned.took) scanned = a;
    if (b.took < analysed.took) analysed = b;
  }
  fmt::print("speed against the scan: {:.2f} (aim: 0.5 or more)\n", scanned.took / analysed.took);
  fmt::print("memory: {:.0f} MB (aim: below 1000)\n", analysed.peak_mib * 1.048576);
  if (python) {
    const std::filesystem::path script =
        assay::testkit::source_dir() / "bench/reference/trace_analysis.py";
    const Run plain = in_child("plain Python, fewer reports", [&] {
      execlp("python3", "python3", script.c_str(), path.c_str(), nullptr);
      _exit(127);
    });
    fmt::print("speed against Python: {:.1f} (aim: 10 or more)\n", plain.took / analysed.took);
  }
  if (kept.empty()) std::filesystem::remove(path);
  return 0;
} catch (const std::exception& thrown) {
  std::fputs(thrown.what(), stderr);
  return 1;
}
