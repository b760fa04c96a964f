#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "access/token.hpp"
#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace assay::access {

/// Why a job is not taken now, and when to ask again.
struct QuotaFull {
  std::string message;
  std::chrono::seconds retry_after;
};

/// Counts what each token uses. The counts are kept in memory. A restart forgets the rate of the
/// last minute. It is told how much device time was used before. Safe to call from several threads.
class Quotas {
 public:
  explicit Quotas(const Clock& clock) : clock_(clock) {}

  /// Counts a job, or says why not. `unfinished`: jobs of the token that have not ended.
  [[nodiscard]] std::optional<QuotaFull> take(const Token& token, std::size_t unfinished);
  /// The job that was counted last was not made after all.
  void give_back(const Token& token);
  /// A job of the token held a device for `time`. It gave the device back `ago` before now.
  void used_device(const std::string& token_id, std::chrono::milliseconds time,
                   std::chrono::milliseconds ago = {});

 private:
  struct Use {
    SteadyTime at;
    std::chrono::milliseconds time;
  };
  struct Record {
    std::deque<SteadyTime> submitted;  // in the last minute
    std::deque<Use> device;            // in the last 24 hours
    std::chrono::milliseconds device_time{};
  };
  void forget_old(Record& record, SteadyTime now) const;

  const Clock& clock_;
  Mutex mutex_;
  std::map<std::string, Record> records_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::access
