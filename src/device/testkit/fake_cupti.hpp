#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "device/cupti.hpp"
#include "device/cupti_api.hpp"

namespace assay::device {

/// Bytes as CUPTI fills them: each record as long as its kind is in CUPTI 13.
class RecordBuffer {
 public:
  void kernel(const char* name, std::uint32_t correlation, std::uint64_t start, std::uint64_t end);
  void copy(cupti::CopyKind kind, std::uint32_t correlation, std::uint64_t start,
            std::uint64_t end);
  void peer_copy(std::uint32_t correlation, std::uint64_t start, std::uint64_t end);
  void memset(std::uint32_t correlation, std::uint64_t start, std::uint64_t end);
  void call(cupti::Kind kind, std::uint32_t correlation, std::uint64_t start);
  void mark(std::uint32_t correlation, std::uint64_t mark, int kind = cupti::kExternalKind);
  void unknown();  // what no version of CUPTI wrote

  [[nodiscard]] std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  template <class Record>
  void append(const Record& record);

  std::vector<std::uint8_t> bytes_;
};

/// A CUPTI whose device exists in memory alone. Like the real one, it tells a mark only with the
/// record of a call, and records only the calls that it was asked for. One at a time: the table
/// holds plain functions.
class FakeCupti {
 public:
  FakeCupti();
  ~FakeCupti();
  FakeCupti(const FakeCupti&) = delete;
  FakeCupti& operator=(const FakeCupti&) = delete;
  FakeCupti(FakeCupti&&) = delete;
  FakeCupti& operator=(FakeCupti&&) = delete;

  [[nodiscard]] static Cupti table();

  /// Launches a kernel at `start` on the clock of now(), from the thread that is marked or another.
  void launch(const char* name, std::uint64_t start, std::uint64_t end,
              bool from_other_thread = false);

  std::string other_profiler;  // has the subscription, unless empty
  bool subscribed = false;
  cupti::Kind refused_kind{};  // cannot be enabled
  std::vector<cupti::Kind> enabled;
  std::vector<std::uint64_t> marks;  // the last is the one in force
  std::int64_t clock_error = 0;      // nanoseconds that its clock is off
  bool keeps_buffers = false;        // as if another profiler took them
  std::size_t dropped = 0;
  cupti::BufferRequested request = nullptr;
  cupti::BufferCompleted complete = nullptr;
  std::deque<std::vector<std::uint8_t>> waiting;  // launches whose records no buffer holds yet

 private:
  std::uint32_t next_correlation_ = 1;
};

}  // namespace assay::device
