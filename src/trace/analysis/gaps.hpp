#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.hpp"
#include "trace/analysis/work_order.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// Why a GPU had nothing to do, seen from the work that ended the gap.
enum class GapCause : std::uint8_t {
  host_elsewhere,  // its thread was outside CUDA: Python, data loading, another library
  host_in_mpi,     // its thread was in MPI, which is to wait for other ranks
  host_waiting,    // its thread was in a synchronising call, then had to launch anew
  allocating,      // its thread was allocating or freeing memory
  other_api_call,  // its thread was in another CUDA call
  launching,       // the launching call itself was under way
  queued,          // it was launched before the gap and waited: for an event, a copy, the GPU
  not_recorded,    // the profile lacks the launching call
};

inline constexpr NameTable<GapCause, 8> kGapCauseNames = {{
    {GapCause::host_elsewhere, "host_elsewhere"},
    {GapCause::host_in_mpi, "host_in_mpi"},
    {GapCause::host_waiting, "host_waiting"},
    {GapCause::allocating, "allocating"},
    {GapCause::other_api_call, "other_api_call"},
    {GapCause::launching, "launching"},
    {GapCause::queued, "queued"},
    {GapCause::not_recorded, "not_recorded"},
}};

constexpr std::string_view to_string(GapCause cause) {
  return name_in(kGapCauseNames, cause);
}
/// A sentence for people.
[[nodiscard]] std::string_view explain(GapCause cause);
/// The same as the end of a sentence that begins with "the GPU was idle". If the cause is not
/// recorded, it says that it cannot be told.
[[nodiscard]] std::string because(GapCause cause);

struct Gap {
  std::int64_t device = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  GapCause cause = GapCause::not_recorded;  // of the larger part of it
  WorkRow before;
  WorkRow after;
  /// The call its thread spent most of the gap in, a row of Trace::calls; kNone: none.
  std::uint32_t call = kNone;
  /// The innermost range of its thread that holds more than half of the gap, or of the launch where
  /// that came before the gap; kNone: none.
  std::uint32_t range = kNone;

  [[nodiscard]] std::int64_t duration() const { return end - start; }
};

struct CauseTotal {
  std::uint64_t count = 0;
  std::int64_t total = 0;
};

struct DeviceGaps {
  std::int64_t device = 0;
  CauseTotal all;
  std::array<CauseTotal, kGapCauseNames.size()> by_cause{};  // by GapCause
  CauseTotal long_outside;  // of host_elsewhere: gaps of a millisecond and more
  /// Time with the host outside CUDA, by the range that held it, without numbers.
  std::map<std::string, std::int64_t, std::less<>> outside_in;
};

struct GapReport {
  std::vector<DeviceGaps> devices;
  std::vector<Gap> longest;  // over all devices, by falling duration
};

/// Whether the profile holds calls of MPI.
[[nodiscard]] bool calls_mpi(const Trace& trace);

/// What the program's own ranges say of the time that the host was outside CUDA, as the end of a
/// sentence: ", 97% of that in 'data_loading'". Empty where no range holds much of it.
[[nodiscard]] std::string outside_in(const DeviceGaps& gaps);

/// Every moment between a device's first and last work at which it had none.
[[nodiscard]] GapReport find_gaps(const Trace& trace, std::size_t keep_longest = 50);

/// `idle_causes`
[[nodiscard]] Table gap_cause_table(const GapReport& report);
/// `idle_gaps`: the longest, with the range its thread was in.
[[nodiscard]] Table gap_table(const Trace& trace, const GapReport& report);

/// "kernel ampere_sgemm", "copy host_to_device", for people.
[[nodiscard]] std::string describe(const Trace& trace, WorkRow work);

}  // namespace assay::trace
