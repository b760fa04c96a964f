#include "trace/events/nsys_join.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/os.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace assay::trace {
namespace {

namespace fs = std::filesystem;

// What a timeline of our tracer has, with the columns that joining names.
constexpr const char* kTables = R"sql(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId,
  globalPid, demangledName, shortName);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId,
  globalPid, bytes, copyKind, srcDeviceId, dstDeviceId);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, correlationId,
  globalPid, bytes);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId,
  returnValue, callchainId);
CREATE TABLE NVTX_EVENTS (start, end, eventType, rangeId, category, color, text, globalTid,
  endGlobalTid, textId, domainId, uint64Value, int64Value, doubleValue, uint32Value, int32Value,
  floatValue, jsonTextId, jsonText, binaryData);
CREATE TABLE TARGET_INFO_GPU (vmId, id, name, busLocation, isDiscrete, l2CacheSize, totalMemory,
  memoryBandwidth, clockRate, smCount, pwGpuId, uuid, luid, chipName, cuDevice, computeMajor,
  computeMinor, smMajor, smMinor);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);
CREATE TABLE ANALYSIS_DETAILS (globalVid, duration, startTime, stopTime);
INSERT INTO ANALYSIS_DETAILS VALUES (1, 9, 0, 9);
CREATE TABLE DIAGNOSTIC_EVENT (timestamp, timestampType, source, severity, text, globalPid);
CREATE TABLE PROCESSES (globalPid, pid, name);
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.17.2');
)sql";

class JoinTimelines : public testing::Test {
 protected:
  /// A process that saw these GPUs and launched a kernel on each, by a call of its own.
  fs::path add(std::int64_t pid, const std::vector<std::string>& uuids, std::int64_t at = 0) {
    const fs::path path = folder_.path() / fmt::format("{}.sqlite", count_++);
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    const std::int64_t process = (std::int64_t{1} << 48) | (pid << 24);
    std::string sql = kTables;
    sql += fmt::format("INSERT INTO PROCESSES VALUES ({}, {}, 'p');", process, pid);
    sql += "INSERT INTO StringIds VALUES (0, 'k'), (1, 'cudaLaunchKernel');";
    for (std::size_t i = 0; i < uuids.size(); ++i) {
      sql += fmt::format(
          "INSERT INTO TARGET_INFO_GPU (vmId, id, name, uuid) VALUES (1, {0}, 'GPU', '{1}');"
          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({2}, {2} + 1, 0, {3}, {4}, 1, 0, NULL);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({2} + 2, {2} + 5, {0}, 1, 7, {4}, {3}, 0,"
          " 0);",
          i, uuids[i], at + static_cast<std::int64_t>(i) * 10, process, i + 1);
    }
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    return path;
  }

  Trace joined(const std::vector<fs::path>& files) {
    const auto done = join_timelines(files, output_);
    EXPECT_TRUE(done.has_value());
    if (done) left_out_ = *done;
    return read_nsys_sqlite(output_, {}).value();
  }

  static std::set<std::int64_t> devices(const Trace& trace) {
    std::set<std::int64_t> out;
    for (const std::uint32_t queue : trace.kernels.queue) out.insert(trace.queues[queue].device);
    return out;
  }

  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "join").value();
  fs::path output_ = folder_.path() / "joined.sqlite";
  std::vector<std::string> left_out_;
  int count_ = 0;
};

TEST_F(JoinTimelines, keeps_gpus_apart_however_processes_number_them) {
  const Trace trace = joined({add(10, {"a"}), add(20, {"b", "c"}), add(30, {"c", "d", "a"})});
  EXPECT_EQ(trace.kernels.size(), 6U);
  EXPECT_EQ(devices(trace).size(), 4U) << "a, b, c and d";
  EXPECT_EQ(trace.capture.gpus.size(), 4U);
  EXPECT_TRUE(left_out_.empty());
}

TEST_F(JoinTimelines, keeps_apart_the_calls_of_two_programs_of_one_process) {
  const Trace trace = joined({add(10, {"a"}, 0), add(10, {"a"}, 1000)});
  ASSERT_EQ(trace.kernels.size(), 2U);
  for (std::size_t row = 0; row < 2; ++row) {
    ASSERT_NE(trace.kernels.call[row], kNone);
    EXPECT_EQ(trace.calls.start[trace.kernels.call[row]], trace.kernels.start[row] - 2);
  }
}

TEST_F(JoinTimelines, leaves_out_what_a_killed_process_did_not_begin_and_says_so) {
  const fs::path empty = folder_.path() / "0-first.sqlite";
  std::ofstream(empty) << "";
  const Trace trace = joined({empty, add(10, {"a"}), add(20, {"a"})});
  EXPECT_EQ(trace.kernels.size(), 2U);
  ASSERT_EQ(left_out_.size(), 1U);
  EXPECT_NE(left_out_[0].find("0-first.sqlite"), std::string::npos) << left_out_[0];
  EXPECT_FALSE(join_timelines({empty}, output_).has_value());
  EXPECT_FALSE(join_timelines({}, output_).has_value());
}

}  // namespace
}  // namespace assay::trace
