#include "runner/call_graph.hpp"

#include <expected>
#include <utility>

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::runner {

namespace cuda = device::cuda;

Result<CallGraph> CallGraph::capture(const device::CudaDriver& driver, cuda::Stream stream,
                                     const Call& call) {
  cuda::Graph graph = nullptr;
  cuda::GraphExecution execution = nullptr;
  cuda::Status status = driver.begin_capture(stream, cuda::kCaptureThreadLocal);
  if (status == cuda::kSuccess) {
    status = call();
    const cuda::Status ended = driver.end_capture(stream, &graph);  // in any case
    if (status == cuda::kSuccess) status = ended;
  }
  if (status == cuda::kSuccess) status = driver.instantiate_graph(&execution, graph, 0);
  if (auto done = check(driver, status, "capture the call as a CUDA graph"); !done) {
    return std::unexpected(std::move(done).error());
  }
  return CallGraph(driver, execution);
}

}  // namespace assay::runner
