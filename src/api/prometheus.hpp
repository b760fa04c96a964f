#pragma once

#include <string>

#include "queue/dispatcher.hpp"

namespace assay::api {

/// The snapshot in the Prometheus text format, version 0.0.4.
[[nodiscard]] std::string prometheus_text(const queue::Snapshot& snapshot);

}  // namespace assay::api
