#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/workload.hpp"

namespace assay::eval {

/// The same request at another size. It has no workloads of its own.
[[nodiscard]] Request over_workload(const Request& request, const Workload& workload);

/// The positions of `count` workloads in an order that follows from the secret alone.
[[nodiscard]] std::vector<std::size_t> secret_order(std::size_t count, std::uint64_t secret);

/// Puts what a workload's check found into the outcome of the request. A verdict other than
/// `accepted` becomes the verdict of the request. It then has no times.
void add_workload(const Workload& workload, const Outcome& checked, Outcome& outcome);

}  // namespace assay::eval
