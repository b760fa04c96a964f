#pragma once

#include <compare>
#include <string>

namespace assay {

/// A UUID, as clients see it.
struct JobId {
  std::string value;
  friend auto operator<=>(const JobId&, const JobId&) = default;
};

/// "cpu" or "cuda:N".
struct DeviceId {
  std::string value;
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

}  // namespace assay
