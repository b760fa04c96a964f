#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "device/lease_pool.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"

namespace assay::queue {

struct KeeperRules {
  int failures = 3;  // in a row: attempts that broke for a reason that is not the submission's
  std::chrono::seconds retry_after{30};
};

/// Takes a broken device out of service, and puts it back to be tried again. A device is broken if
/// it says so itself, or if attempts on it fail one after another. Safe to call from several
/// threads.
class DeviceKeeper {
 public:
  /// Asks the device itself why nothing should run on it now. Nothing if it is well.
  using FaultOf = std::function<std::optional<std::string>(const DeviceInfo&)>;

  /// `leases`, `clock` and `log` outlive this.
  DeviceKeeper(device::LeasePool& leases, FaultOf fault_of, const Clock& clock, const Log& log,
               KeeperRules rules = {});

  void worked(const DeviceId& device);
  void failed(const DeviceId& device, std::string_view why);
  /// Looks at every device. True if one came back: jobs may be claimed for it again.
  bool look(const std::vector<DeviceInfo>& devices);
  [[nodiscard]] bool in_service(const DeviceId& device) const;

 private:
  struct Record {
    int failures = 0;                     // in a row
    std::optional<SteadyTime> out_since;  // absent: in service
  };
  void take_out(const DeviceId& device, std::string why) ASSAY_REQUIRES(mutex_);

  device::LeasePool& leases_;
  const FaultOf fault_of_;
  const Clock& clock_;
  const Log& log_;
  const KeeperRules rules_;
  mutable Mutex mutex_;
  std::map<DeviceId, Record> records_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::queue
