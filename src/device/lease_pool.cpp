#include "device/lease_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"

namespace assay::device {

Lease::Lease(Lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), slot_(other.slot_) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  Lease taken(std::move(other));
  std::swap(pool_, taken.pool_);
  std::swap(slot_, taken.slot_);
  return *this;  // the device held before goes back as `taken` dies
}

Lease::~Lease() {
  if (pool_ != nullptr) pool_->release(slot_);
}

LeasePool::LeasePool(const std::vector<DeviceId>& devices, const Clock& clock) : clock_(clock) {
  for (const DeviceId& device : devices) slots_.push_back({.device = device});
}

Result<std::size_t> LeasePool::find(const DeviceId& device) const {
  const auto found = std::ranges::find(slots_, device, &Slot::device);
  if (found == slots_.end()) return fail(ErrorCode::not_found, "no device " + device.value);
  return static_cast<std::size_t>(found - slots_.begin());
}

void LeasePool::note_wait(std::chrono::nanoseconds waited) {
  waits_.shortest = waits_.count == 0 ? waited : std::min(waits_.shortest, waited);
  waits_.longest = std::max(waits_.longest, waited);
  waits_.total += waited;
  ++waits_.count;
}

Result<Lease> LeasePool::acquire(const DeviceId& device, int priority,
                                 const std::stop_token& stop) {
  const SteadyTime asked = clock_.now();
  const MutexLock lock(mutex_);
  ASSAY_TRY(const std::size_t index, find(device));
  Slot& slot = slots_[index];
  const Ticket mine{.priority = priority, .number = next_ticket_++};
  const auto place =
      std::ranges::upper_bound(slot.queue, priority, std::greater{}, &Ticket::priority);
  slot.queue.insert(place, mine);
  const bool ready = changed_.wait(mutex_, stop, [&] {
    mutex_.assert_held();
    return slot.out_of_service || (!slot.held_since && slot.queue.front().number == mine.number);
  });
  std::erase_if(slot.queue, [&](const Ticket& ticket) { return ticket.number == mine.number; });
  changed_.notify_all();  // our leaving may put another waiter first
  if (!ready) return fail(ErrorCode::cancelled, "stopped while waiting for " + device.value);
  if (slot.out_of_service) {
    return fail(ErrorCode::unavailable,
                device.value + " is out of service: " + *slot.out_of_service);
  }

  slot.held_since = clock_.now();
  ++slot.leases;
  note_wait(*slot.held_since - asked);
  return Lease(*this, index);
}

void LeasePool::release(std::size_t slot) {
  const MutexLock lock(mutex_);
  slots_[slot].busy += clock_.now() - *slots_[slot].held_since;
  slots_[slot].held_since.reset();
  changed_.notify_all();
}

Result<void> LeasePool::take_out(const DeviceId& device, std::string reason) {
  const MutexLock lock(mutex_);
  ASSAY_TRY(const std::size_t index, find(device));
  slots_[index].out_of_service = std::move(reason);
  changed_.notify_all();
  return {};
}

Result<void> LeasePool::put_back(const DeviceId& device) {
  const MutexLock lock(mutex_);
  ASSAY_TRY(const std::size_t index, find(device));
  slots_[index].out_of_service.reset();
  changed_.notify_all();
  return {};
}

std::vector<DeviceUse> LeasePool::uses() const {
  const SteadyTime now = clock_.now();
  const MutexLock lock(mutex_);
  std::vector<DeviceUse> uses;
  for (const Slot& slot : slots_) {
    const auto present = slot.held_since ? now - *slot.held_since : SteadyTime::duration::zero();
    uses.push_back({.device = slot.device,
                    .held = slot.held_since.has_value(),
                    .out_of_service = slot.out_of_service,
                    .waiting = slot.queue.size(),
                    .leases = slot.leases,
                    .busy = slot.busy + present});
  }
  return uses;
}

LeaseWaits LeasePool::waits() const {
  const MutexLock lock(mutex_);
  return waits_;
}

}  // namespace assay::device
