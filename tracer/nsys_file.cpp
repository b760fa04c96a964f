#include "tracer/nsys_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <sqlite3.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/cupti_api.hpp"
#include "tracer/gpus.hpp"
#include "tracer/kernel_name.hpp"
#include "tracer/nsys_schema.hpp"
#include "tracer/range_event.hpp"
#include "tracer/statement.hpp"

namespace assay::tracer {
namespace {

namespace cupti = device::cupti;

// A process is (machine << 56) | (virtual machine << 48) | (pid << 24), a thread that and its tid.
constexpr std::int64_t kMachine = std::int64_t{1} << 48;
constexpr int kPidShift = 24;
constexpr std::uint32_t kTidMask = (1U << 24U) - 1;

// How long a reader may hold up the thread that writes, in milliseconds.
constexpr int kWaitForReaders = 200;
constexpr int kWaitAtTheEnd = 10'000;
constexpr std::uint64_t kMostPending = 2'000'000;  // rows: about 200 MB

std::optional<std::int64_t> unless_zero(std::uint64_t value) {
  if (value == 0) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

/// CUPTI counts kinds of memory from 1 and has 0 for unknown, nsys from 0 and has 7.
std::int64_t memory_kind(std::uint64_t kind) {
  constexpr std::int64_t kUnknown = 7;
  return kind == 0 || kind > 7 ? kUnknown : static_cast<std::int64_t>(kind) - 1;
}

/// Its column among the six of payloads.
void add_payload(Statement& row, const Payload& payload) {
  const std::size_t place = payload.index();
  for (std::size_t column = 1; column < std::variant_size_v<Payload>; ++column) {
    if (column != place) {
      row.add_null();
      continue;
    }
    std::visit(
        [&](auto value) {
          if constexpr (std::is_floating_point_v<decltype(value)>) {
            row.add(static_cast<double>(value));
          } else if constexpr (std::is_integral_v<decltype(value)>) {
            row.add(static_cast<std::int64_t>(value));
          }
        },
        payload);
  }
}

}  // namespace

NsysFile::NsysFile(sqlite3* database, std::uint32_t pid, std::int64_t epoch)
    : database_(database),
      process_(kMachine | (std::int64_t{pid} << kPidShift)),
      pid_(pid),
      epoch_(epoch) {}

Result<NsysFile> NsysFile::create(const std::filesystem::path& path, const ProcessInfo& process,
                                  std::int64_t epoch) {
  sqlite3* opened = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &opened,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  NsysFile file(opened, process.pid, epoch);
  if (status == SQLITE_OK) {
    // A killed process loses nothing that way; only a machine that loses power does.
    file.execute("PRAGMA synchronous=OFF");
    file.execute("PRAGMA journal_mode=DELETE");
    file.execute("PRAGMA cache_size=-4000");
    // What a reader's lock keeps from the disk waits in memory.
    file.execute("PRAGMA cache_spill=OFF");
    sqlite3_busy_timeout(opened, kWaitForReaders);
    file.begin();
    file.execute(kNsysSchema);
    file.text_row_ = Statement(opened, "INSERT INTO StringIds VALUES (?,?)");
    file.kernel_row_ =
        Statement(opened,
                  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                  "(?,?,?,?,NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    file.copy_row_ = Statement(opened,
                               "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES "
                               "(?,?,?,?,NULL,?,?,?,?,?,NULL,?,?,?,?,?,?,NULL,?,NULL,NULL)");
    file.fill_row_ = Statement(opened,
                               "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES "
                               "(?,?,?,?,NULL,?,?,?,?,?,?,?)");
    file.call_row_ =
        Statement(opened, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?,?,?,NULL)");
    file.range_row_ = Statement(
        opened,
        "INSERT OR REPLACE INTO NVTX_EVENTS (rowid,start,end,eventType,rangeId,category,color,text,"
        "globalTid,endGlobalTid,textId,domainId,uint64Value,int64Value,doubleValue,uint32Value,"
        "int32Value,floatValue) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    file.warning_row_ =
        Statement(opened,
                  "INSERT OR REPLACE INTO DIAGNOSTIC_EVENT (rowid,timestamp,timestampType,source,"
                  "severity,text,globalPid) VALUES (?,?,1,1,2,?,?)");
    file.end_row_ = Statement(
        opened,
        "INSERT OR REPLACE INTO ANALYSIS_DETAILS (rowid,globalVid,duration,startTime,stopTime) "
        "VALUES (1,?,?,0,?)");
    file.describe(process);
    file.commit();
  }
  if (status != SQLITE_OK || file.lost_ != 0) {
    return fail(ErrorCode::unavailable, "make " + path.string() + ": " + sqlite3_errmsg(opened));
  }
  return file;
}

void NsysFile::describe(const ProcessInfo& process) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  Statement exported(database_.get(), "INSERT INTO META_DATA_EXPORT VALUES (?,?)");
  for (const auto& [name, value] : {std::pair{"EXPORT_PRODUCT_NAME", "Assay tracer"},
                                    {"EXPORT_SCHEMA_VERSION", "3.17.2"},
                                    {"EXPORT_SCHEMA_VERSION_MAJOR", "3"},
                                    {"EXPORT_SCHEMA_VERSION_MINOR", "17"},
                                    {"EXPORT_SCHEMA_VERSION_MICRO", "2"}}) {
    check(exported.add(std::string_view(name)).add(std::string_view(value)).run());
  }
  Statement captured(database_.get(), "INSERT INTO META_DATA_CAPTURE VALUES (?,?)");
  check(captured.add("CUDA_GRAPH_TRACE_OPTIONS:MODE").add(std::string_view("Node")).run());
  for (std::size_t i = 0; i < process.command.size(); ++i) {
    const std::string name =
        i == 0 ? "PROCESS_0:COMMAND" : "PROCESS_0:ARGUMENT_" + std::to_string(i - 1);
    check(captured.add(name).add(std::string_view(process.command[i])).run());
  }
  Statement started(database_.get(),
                    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (?, "
                    "strftime('%Y-%m-%dT%H:%M:%S', ?, 'unixepoch'), "
                    "strftime('%Y-%m-%dT%H:%M:%S', ?, 'unixepoch', 'localtime'))");
  check(started.add(epoch_).add(epoch_ / kNanoseconds).add(epoch_ / kNanoseconds).run());
  Statement named(database_.get(), "INSERT INTO PROCESSES VALUES (?,?,?)");
  check(named.add(process_).add(std::int64_t{pid_}).add(std::string_view(process.name)).run());
}

void NsysFile::execute(const char* sql) {
  check(sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK);
}

void NsysFile::check(bool done) {
  ++pending_;
  if (done) return;
  if (lost_++ == 0) failure_ = sqlite3_errmsg(database_.get());
}

void NsysFile::begin() {
  const bool none_open = sqlite3_get_autocommit(database_.get()) != 0;
  if (none_open)
    check(sqlite3_exec(database_.get(), "BEGIN", nullptr, nullptr, nullptr) == SQLITE_OK);
}

void NsysFile::commit(bool last) {
  sqlite3* database = database_.get();
  sqlite3_busy_timeout(database, last ? kWaitAtTheEnd : kWaitForReaders);
  const int status = sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
  if (status == SQLITE_OK) {
    committed_text_ = next_text_;
    pending_ = 0;
  } else if (status != SQLITE_BUSY || last || pending_ > kMostPending) {
    give_up();
  }
}

/// The rows of this transaction are lost, with the texts they brought along.
void NsysFile::give_up() {
  if (failure_.empty()) failure_ = sqlite3_errmsg(database_.get());
  if (sqlite3_get_autocommit(database_.get()) == 0) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  lost_ += std::max<std::uint64_t>(pending_, 1);
  pending_ = 0;
  std::erase_if(texts_, [&](const auto& entry) { return entry.second >= committed_text_; });
  kernel_names_.clear();
}

std::int64_t NsysFile::text_id(std::string_view text) {
  const auto [found, is_new] = texts_.try_emplace(std::string(text), next_text_);
  if (is_new) {
    ++next_text_;
    check(text_row_.add(found->second).add(text).run());
  }
  return found->second;
}

const NsysFile::KernelName& NsysFile::kernel_name(const char* mangled) {
  std::string key = mangled == nullptr ? "" : mangled;
  const auto found = kernel_names_.find(key);
  if (found != kernel_names_.end()) return found->second;
  const std::string demangled = demangled_name(mangled);
  const KernelName name{.demangled = text_id(demangled),
                        .short_name = text_id(short_name(demangled)),
                        .mangled = text_id(key)};
  return kernel_names_.emplace(std::move(key), name).first->second;
}

std::int64_t NsysFile::time(std::uint64_t nanoseconds) const {
  return static_cast<std::int64_t>(nanoseconds) - epoch_;
}

template <class Record>
void NsysFile::begin_work(Statement& row, const Record& record) const {
  row.add(time(record.start)).add(time(record.end));
  row.add(std::int64_t{record.device}).add(std::int64_t{record.context});
  row.add(std::int64_t{record.stream}).add(std::int64_t{record.correlation}).add(process_);
}

void NsysFile::add(const cupti::KernelRecord& kernel) {
  const KernelName& name = kernel_name(kernel.name);
  Statement& row = kernel_row_;
  begin_work(row, kernel);
  row.add(name.demangled).add(name.short_name).add(name.mangled);
  // CUPTI counts launch types from 0, nsys from 1.
  row.add(std::int64_t{kernel.launch_type} + 1).add(std::int64_t{kernel.cache_config});
  row.add(std::int64_t{kernel.registers});
  for (const std::int32_t size : kernel.grid_size) row.add(std::int64_t{size});
  for (const std::int32_t size : kernel.block_size) row.add(std::int64_t{size});
  row.add(std::int64_t{kernel.static_shared}).add(std::int64_t{kernel.dynamic_shared});
  row.add(std::int64_t{kernel.local_per_thread}).add(std::int64_t{kernel.local_total});
  row.add(kernel.grid).add(std::int64_t{kernel.shared_executed});
  row.add(unless_zero(kernel.graph_node)).add(std::int64_t{kernel.shared_limit});
  row.add(unless_zero(kernel.graph_node == 0 ? 0 : kernel.graph));
  for (const std::uint32_t size : kernel.cluster_size) row.add(std::int64_t{size});
  row.add(std::int64_t{kernel.cluster_policy});
  check(row.run());
}

void NsysFile::add(const cupti::CopyRecord& copy) {
  Statement& row = copy_row_;
  begin_work(row, copy);
  row.add(static_cast<std::int64_t>(copy.bytes)).add(static_cast<std::int64_t>(copy.copy_kind));
  row.add(memory_kind(copy.source_kind)).add(memory_kind(copy.destination_kind));
  row.add_null().add_null().add_null().add_null().add(unless_zero(copy.graph_node));
  check(row.run());
}

void NsysFile::add(const cupti::PeerCopyRecord& copy) {
  Statement& row = copy_row_;
  begin_work(row, copy);
  row.add(static_cast<std::int64_t>(copy.bytes)).add(static_cast<std::int64_t>(copy.copy_kind));
  row.add(memory_kind(copy.source_kind)).add(memory_kind(copy.destination_kind));
  row.add(std::int64_t{copy.source_device}).add(std::int64_t{copy.source_context});
  row.add(std::int64_t{copy.destination_device}).add(std::int64_t{copy.destination_context});
  check(row.add(unless_zero(copy.graph_node)).run());
}

void NsysFile::add(const cupti::MemsetRecord& fill) {
  Statement& row = fill_row_;
  begin_work(row, fill);
  row.add(std::int64_t{fill.value}).add(static_cast<std::int64_t>(fill.bytes));
  check(row.add(unless_zero(fill.graph_node)).add(memory_kind(fill.memory_kind)).run());
}

void NsysFile::add(const cupti::CallRecord& call, std::string_view name) {
  constexpr std::int64_t kRuntime = 0;
  constexpr std::int64_t kDriver = 1;
  const std::int64_t name_id = text_id(name);
  Statement& row = call_row_;
  row.add(time(call.start)).add(time(call.end));
  row.add(call.kind == cupti::Kind::driver_call ? kDriver : kRuntime);
  row.add(process_ | (call.thread & kTidMask)).add(std::int64_t{call.correlation});
  check(row.add(name_id).add(std::int64_t{call.returned}).run());
}

void NsysFile::add(const RangeEvent& event) {
  const Label& label = event.label;
  const auto text_id_of_label =
      label.registered ? std::optional(text_id(label.text)) : std::nullopt;
  Statement& row = range_row_;
  row.add(static_cast<std::int64_t>(event.key)).add(event.start - epoch_);
  row.add(event.end ? std::optional(*event.end - epoch_) : std::nullopt);
  row.add(std::to_underlying(event.type));
  row.add(event.type == EventType::start_end ? unless_zero(event.key) : std::nullopt);
  row.add(label.category ? std::optional<std::int64_t>(*label.category) : std::nullopt);
  row.add(label.color ? std::optional<std::int64_t>(*label.color) : std::nullopt);
  label.registered ? row.add_null() : row.add(std::string_view(label.text));
  row.add(process_ | (event.thread & kTidMask));
  row.add(event.end_thread ? std::optional(process_ | (*event.end_thread & kTidMask))
                           : std::nullopt);
  row.add(text_id_of_label).add(std::int64_t{event.domain});
  add_payload(row, label.payload);
  check(row.run());
}

void NsysFile::add(const Gpu& gpu) {
  Statement row(database_.get(),
                "INSERT INTO TARGET_INFO_GPU (vmId,id,name,isDiscrete,l2CacheSize,totalMemory,"
                "memoryBandwidth,clockRate,smCount,cuDevice,computeMajor,computeMinor,smMajor,"
                "smMinor,uuid) VALUES (?,?,?,1,?,?,?,?,?,?,?,?,?,?,?)");
  row.add(kMachine).add(gpu.ordinal).add(std::string_view(gpu.name)).add(gpu.l2_bytes);
  row.add(gpu.memory_bytes).add(gpu.memory_bandwidth).add(gpu.clock_hz).add(gpu.multiprocessors);
  row.add(gpu.ordinal).add(gpu.major).add(gpu.minor).add(gpu.major).add(gpu.minor);
  gpu.uuid.empty() ? row.add_null() : row.add(std::string_view(gpu.uuid));
  check(row.run());
  Statement device(database_.get(), "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (?,?,?)");
  check(device.add(gpu.ordinal).add(gpu.ordinal).add(std::int64_t{pid_}).run());
}

void NsysFile::warn(std::int64_t number, std::string_view text) {
  check(warning_row_.add(number).add(std::int64_t{0}).add(text).add(process_).run());
}

void NsysFile::set_end(std::int64_t time) {
  check(end_row_.add(kMachine).add(time - epoch_).add(time - epoch_).run());
}

}  // namespace assay::tracer
