#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sqlite3.h>

#include "base/result.hpp"
#include "device/cupti_api.hpp"
#include "tracer/gpus.hpp"
#include "tracer/range_event.hpp"
#include "tracer/statement.hpp"

namespace assay::tracer {

/// Which process a file is of.
struct ProcessInfo {
  std::uint32_t pid = 0;
  std::string name;
  std::vector<std::string> command;
};
[[nodiscard]] ProcessInfo this_process();

/// A timeline in the tables that Nsight Systems exports. Rows go in between begin() and commit().
/// Whatever happens to the process, the file holds what was committed last.
class NsysFile {
 public:
  /// `epoch` is the time that is 0 in the file. Fails with `unavailable` where it cannot be made.
  [[nodiscard]] static Result<NsysFile> create(const std::filesystem::path& path,
                                               const ProcessInfo& process, std::int64_t epoch);

  void begin();
  /// While somebody reads the file, rows wait for a later commit. The `last` one waits longer, and
  /// gives up what it cannot write.
  void commit(bool last = false);

  void add(const device::cupti::KernelRecord& kernel);
  void add(const device::cupti::CopyRecord& copy);
  void add(const device::cupti::PeerCopyRecord& copy);
  void add(const device::cupti::MemsetRecord& fill);
  void add(const device::cupti::CallRecord& call, std::string_view name);
  void add(const RangeEvent& event);
  void add(const Gpu& gpu);
  /// Says what is missing from the file. A warning with the same `number` as an earlier one
  /// replaces it.
  void warn(std::int64_t number, std::string_view text);
  /// The file tells everything up to this time.
  void set_end(std::int64_t time);

  /// Rows that SQLite did not take, for example because the disk was full. Also what SQLite said of
  /// the first.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  struct KernelName {
    std::int64_t demangled = 0;
    std::int64_t short_name = 0;
    std::int64_t mangled = 0;
  };

  NsysFile(sqlite3* database, std::uint32_t pid, std::int64_t epoch);

  void execute(const char* sql);
  void check(bool done);
  void give_up();
  void describe(const ProcessInfo& process);
  [[nodiscard]] std::int64_t text_id(std::string_view text);
  [[nodiscard]] const KernelName& kernel_name(const char* mangled);
  [[nodiscard]] std::int64_t time(std::uint64_t nanoseconds) const;
  template <class Record>
  void begin_work(Statement& row, const Record& record) const;

  std::unique_ptr<sqlite3, Close> database_;  // closed last
  std::int64_t process_ = 0;                  // as nsys writes a process
  std::uint32_t pid_ = 0;
  std::int64_t epoch_ = 0;
  Statement text_row_;
  Statement kernel_row_;
  Statement copy_row_;
  Statement fill_row_;
  Statement call_row_;
  Statement range_row_;
  Statement warning_row_;
  Statement end_row_;
  std::unordered_map<std::string, std::int64_t> texts_;
  std::int64_t next_text_ = 0;       // never used twice: a text that was lost gets another
  std::int64_t committed_text_ = 0;  // texts below are in the file for good
  std::uint64_t pending_ = 0;        // rows since the last commit that was done
  std::unordered_map<std::string, KernelName> kernel_names_;
  std::uint64_t lost_ = 0;
  std::string failure_;
};

}  // namespace assay::tracer
