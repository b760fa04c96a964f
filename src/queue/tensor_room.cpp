#include "queue/tensor_room.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "model/workload.hpp"

namespace assay::queue {
namespace {

std::uint64_t bytes_of(const std::optional<IoContract>& contract) {
  return contract ? tensor_bytes(*contract) : 0;
}

}  // namespace

std::optional<std::string> tensors_too_large(const Request& request,
                                             const std::optional<DeviceId>& device,
                                             const std::vector<DeviceInfo>& devices) {
  std::uint64_t candidate = bytes_of(request.candidate.io);
  std::uint64_t reference = request.reference ? bytes_of(request.reference->io) : 0;
  for (const Workload& workload : request.workloads) {
    candidate = std::max(candidate, bytes_of(workload.candidate_io));
    reference = std::max(reference, bytes_of(workload.reference_io));
  }
  const std::uint64_t needed = std::max(candidate, reference);
  for (const DeviceInfo& one : devices) {
    if ((device && one.id != *device) || needed <= one.most_tensor_bytes) continue;
    return fmt::format(
        "The tensors of the {} hold {} bytes. On {} one kernel may have {} of {} bytes. The "
        "server's option --tensor-memory sets that limit",
        candidate >= reference ? "candidate" : "reference", needed, one.id.value,
        one.most_tensor_bytes, one.memory_bytes);
  }
  return std::nullopt;
}

}  // namespace assay::queue
