#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"

namespace assay::device {

class LeasePool;

/// The sole right to run on one device. Gives the device back when destroyed.
class [[nodiscard]] Lease {
 public:
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

 private:
  friend class LeasePool;
  Lease(LeasePool& pool, std::size_t slot) : pool_(&pool), slot_(slot) {}

  LeasePool* pool_;  // null once moved from
  std::size_t slot_;
};

struct DeviceUse {
  DeviceId device;
  bool held = false;
  std::optional<std::string> out_of_service;  // why it was taken out
  std::size_t waiting = 0;
  std::uint64_t leases = 0;         // given so far
  std::chrono::nanoseconds busy{};  // held so far, the present lease included
};

struct LeaseWaits {
  std::uint64_t count = 0;
  std::chrono::nanoseconds total{};
  std::chrono::nanoseconds shortest{};
  std::chrono::nanoseconds longest{};
};

/// Hands out the devices of this host, one holder each. Must outlive every Lease it gave.
class LeasePool {
 public:
  LeasePool(const std::vector<DeviceId>& devices, const Clock& clock);

  /// Waits for the device. Higher priorities go first; within one, the order of arrival counts.
  /// Otherwise a stream of short jobs could hold off a long one for ever. Fails with `not_found`
  /// for a device that is not here, `unavailable` for one that is or goes out of service, and
  /// `cancelled` if `stop` is requested first.
  [[nodiscard]] Result<Lease> acquire(const DeviceId& device, int priority,
                                      const std::stop_token& stop);

  /// Gives the device to nobody until it is put back. A present holder keeps it. Fails with
  /// `not_found` for an unknown device.
  [[nodiscard]] Result<void> take_out(const DeviceId& device, std::string reason);
  [[nodiscard]] Result<void> put_back(const DeviceId& device);

  [[nodiscard]] std::vector<DeviceUse> uses() const;
  [[nodiscard]] LeaseWaits waits() const;

 private:
  friend class Lease;
  struct Ticket {
    int priority;
    std::uint64_t number;
  };
  struct Slot {
    DeviceId device;
    std::optional<SteadyTime> held_since;
    std::optional<std::string> out_of_service;
    std::vector<Ticket> queue;  // whose turn is next stands first
    std::uint64_t leases = 0;
    std::chrono::nanoseconds busy{};
  };
  [[nodiscard]] Result<std::size_t> find(const DeviceId& device) const ASSAY_REQUIRES(mutex_);
  void release(std::size_t slot);
  void note_wait(std::chrono::nanoseconds waited) ASSAY_REQUIRES(mutex_);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Slot> slots_ ASSAY_GUARDED_BY(mutex_);
  std::uint64_t next_ticket_ ASSAY_GUARDED_BY(mutex_) = 0;
  LeaseWaits waits_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::device
