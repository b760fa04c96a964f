#include "queue/device_keeper.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "device/lease_pool.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"

namespace assay::queue {

DeviceKeeper::DeviceKeeper(device::LeasePool& leases, FaultOf fault_of, const Clock& clock,
                           const Log& log, KeeperRules rules)
    : leases_(leases), fault_of_(std::move(fault_of)), clock_(clock), log_(log), rules_(rules) {}

void DeviceKeeper::worked(const DeviceId& device) {
  const MutexLock lock(mutex_);
  records_[device].failures = 0;
}

void DeviceKeeper::failed(const DeviceId& device, std::string_view why) {
  const MutexLock lock(mutex_);
  Record& record = records_[device];
  if (++record.failures < rules_.failures || record.out_since) return;
  take_out(device, fmt::format("{} attempts failed in a row: {}", record.failures, why));
}

bool DeviceKeeper::look(const std::vector<DeviceInfo>& devices) {
  bool came_back = false;
  for (const DeviceInfo& device : devices) {
    auto fault = fault_of_(device);
    const MutexLock lock(mutex_);
    Record& record = records_[device.id];
    if (fault && !record.out_since) {
      take_out(device.id, std::move(*fault));
    } else if (!fault && record.out_since &&
               clock_.now() - *record.out_since >= rules_.retry_after) {
      record.out_since.reset();
      // One more failure is enough to take it out again.
      record.failures = rules_.failures - 1;
      (void)leases_.put_back(device.id);  // known: it was taken out
      log_.info("device", "{} is tried again", device.id.value);
      came_back = true;
    }
  }
  return came_back;
}

bool DeviceKeeper::in_service(const DeviceId& device) const {
  const MutexLock lock(mutex_);
  const auto found = records_.find(device);
  return found == records_.end() || !found->second.out_since;
}

void DeviceKeeper::take_out(const DeviceId& device, std::string why) {
  records_[device].out_since = clock_.now();
  log_.error("device", "{} is out of service: {}", device.value, why);
  (void)leases_.take_out(device, std::move(why));  // fails for unknown devices alone
}

}  // namespace assay::queue
