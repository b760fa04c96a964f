#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tracer/batch.hpp"
#include "tracer/call_names.hpp"
#include "tracer/call_pairs.hpp"
#include "tracer/gate.hpp"
#include "tracer/log.hpp"
#include "tracer/nsys_file.hpp"
#include "tracer/range_event.hpp"

namespace assay::tracer {

/// What a file lacks. Each kind has its row among the file's warnings.
enum class Loss : std::int64_t {
  device = 1,      // nothing of the device is recorded
  kind = 2,        // one kind of record is not
  records = 3,     // CUPTI had no room
  untimed = 4,     // CUPTI had no times
  unreadable = 5,  // the rest of a buffer
  ranges = 6,      // too many NVTX events at once
  rows = 7,        // the disk did not take them
};

/// The file of one process while it grows.
class Recording {
 public:
  Recording(NsysFile file, Gate& gate, Log log);

  /// Writes what came since the last time, in one transaction. `names` may be null where the batch
  /// holds no calls.
  void write(Batch batch, const std::vector<RangeEvent>& events, CallNames* names,
             std::int64_t until, bool last);
  /// Says in the file, at the next write, and in the log that something is missing.
  void tell(Loss loss, std::string text);
  /// What was written, in the log.
  void sum_up() const;

 private:
  void write_work(const Batch& batch);
  void write_calls(const std::vector<device::cupti::CallRecord>& calls, CallNames& names);

  NsysFile file_;
  Gate& gate_;
  Log log_;
  CallPairs pairs_;
  bool knows_gpus_ = false;
  std::uint64_t untimed_ = 0;
  std::uint64_t unreadable_ = 0;
  std::uint64_t kernels_ = 0;
  std::uint64_t others_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t events_ = 0;
  std::map<Loss, std::string> told_;
};

}  // namespace assay::tracer
