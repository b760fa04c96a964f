#include "access/quotas.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "access/token.hpp"
#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace assay::access {
namespace {

using std::chrono::seconds;

constexpr std::chrono::minutes kRateWindow{1};
constexpr std::chrono::hours kDeviceWindow{24};
// Jobs end when they end; this is about how long a short one takes.
constexpr seconds kUntilOneEnds{5};

seconds until(SteadyTime moment, SteadyTime now) {
  return std::max(seconds(1), std::chrono::ceil<seconds>(moment - now));
}

}  // namespace

void Quotas::forget_old(Record& record, SteadyTime now) const {
  while (!record.submitted.empty() && record.submitted.front() + kRateWindow <= now) {
    record.submitted.pop_front();
  }
  while (!record.device.empty() && record.device.front().at + kDeviceWindow <= now) {
    record.device_time -= record.device.front().time;
    record.device.pop_front();
  }
}

std::optional<QuotaFull> Quotas::take(const Token& token, std::size_t unfinished) {
  const SteadyTime now = clock_.now();
  const MutexLock lock(mutex_);
  Record& record = records_[token.id];
  forget_old(record, now);
  const Limits& limits = token.limits;
  if (limits.concurrent && unfinished >= *limits.concurrent) {
    return QuotaFull{fmt::format("token '{}' may have {} jobs that have not ended", token.name,
                                 *limits.concurrent),
                     kUntilOneEnds};
  }
  if (limits.device_seconds && record.device_time >= seconds(*limits.device_seconds)) {
    const seconds wait = record.device.empty()
                             ? std::chrono::duration_cast<seconds>(kDeviceWindow)
                             : until(record.device.front().at + kDeviceWindow, now);
    return QuotaFull{fmt::format("token '{}' may use devices for {} seconds in 24 hours",
                                 token.name, *limits.device_seconds),
                     wait};
  }
  if (limits.per_minute && record.submitted.size() >= *limits.per_minute) {
    const seconds wait = record.submitted.empty()
                             ? std::chrono::duration_cast<seconds>(kRateWindow)
                             : until(record.submitted.front() + kRateWindow, now);
    return QuotaFull{
        fmt::format("token '{}' may submit {} jobs a minute", token.name, *limits.per_minute),
        wait};
  }
  if (limits.per_minute) record.submitted.push_back(now);
  return std::nullopt;
}

void Quotas::give_back(const Token& token) {
  const MutexLock lock(mutex_);
  Record& record = records_[token.id];
  if (token.limits.per_minute && !record.submitted.empty()) record.submitted.pop_back();
}

void Quotas::used_device(const std::string& token_id, std::chrono::milliseconds time,
                         std::chrono::milliseconds ago) {
  const MutexLock lock(mutex_);
  Record& record = records_[token_id];
  record.device.push_back({.at = clock_.now() - ago, .time = time});
  record.device_time += time;
}

}  // namespace assay::access
