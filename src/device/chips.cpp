#include "device/chips.hpp"

#include <string>
#include <vector>

#include "model/device_info.hpp"

namespace assay::device {

std::vector<std::string> chips_with(ComputeCapability capability) {
  switch (capability.major * 10 + capability.minor) {
    case 70:
      return {"GV100"};
    case 72:
      return {"GV11B"};
    case 75:
      return {"TU102", "TU104", "TU106", "TU116", "TU117"};
    case 80:
      return {"GA100"};
    case 86:
      return {"GA102", "GA103", "GA104", "GA106", "GA107"};
    case 87:
      return {"GA10B"};
    case 89:
      return {"AD102", "AD103", "AD104", "AD106", "AD107"};
    case 90:
      return {"GH100"};
    case 100:
      return {"GB100", "GB102"};
    case 103:
      return {"GB110"};
    case 110:
      return {"GB10B"};
    case 120:
      return {"GB202", "GB203", "GB205", "GB206", "GB207"};
    case 121:
      return {"GB20B"};
    default:
      return {};
  }
}

}  // namespace assay::device
