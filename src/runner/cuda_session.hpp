#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/simt_abi.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_memory.hpp"
#include "gate/page.hpp"
#include "gate/round.hpp"
#include "gate/stage.hpp"
#include "model/kernel_resources.hpp"
#include "model/runner_protocol.hpp"
#include "runner/call_graph.hpp"
#include "runner/marshal.hpp"
#include "runner/nvtx.hpp"
#include "runner/separate_arrays.hpp"

namespace assay::runner {

/// The one evaluation that this process does on a GPU. Submitted code runs on the device alone. All
/// code on the host here is ours.
class CudaSession {
 public:
  /// Makes the context and what timing needs. `descriptors` are those that came with the current
  /// command. `driver` and `descriptors` outlive this.
  [[nodiscard]] static Result<CudaSession> open(const device::CudaDriver& driver,
                                                std::vector<UniqueFd>& descriptors);

  RunnerReply operator()(const LoadCommand& command);
  RunnerReply operator()(const BindCommand& command);
  RunnerReply operator()(const RunCommand& command);
  RunnerReply operator()(const WarmCommand& command);
  RunnerReply operator()(const TimeCommand& command);
  RunnerReply operator()(const ArmCommand& command);
  RunnerReply operator()(const RoundCommand& command);
  RunnerReply operator()(const HostTimeCommand& command);
  RunnerReply operator()(const TraceCommand& command);
  RunnerReply operator()(const ProfileCommand& command);
  RunnerReply operator()(const CountCommand& command);

 private:
  CudaSession(const device::CudaDriver& driver, std::vector<UniqueFd>& descriptors)
      : driver_(&driver), descriptors_(&descriptors) {}
  [[nodiscard]] Result<void> prepare();
  [[nodiscard]] std::vector<assay_simt_param> parameters() const;
  [[nodiscard]] KernelResources resources() const;
  /// What the kernel is called with; see SeparateArrays.
  [[nodiscard]] Result<Arguments> marshal();
  [[nodiscard]] std::optional<Refused> allow_shared_memory(std::uint32_t bytes);
  /// Everything before a timed launch: restores, then a cold L2.
  [[nodiscard]] device::cuda::Status set_scene();
  [[nodiscard]] device::cuda::Status launch();
  [[nodiscard]] device::cuda::Status launch_and_wait();
  [[nodiscard]] device::cuda::Status time_once(double& nanoseconds);
  [[nodiscard]] Refused refusal(device::cuda::Status status) const;
  [[nodiscard]] Result<void> arm(const ArmCommand& command);
  [[nodiscard]] gate::TimedCall timed_call();

  const device::CudaDriver* driver_;
  std::vector<UniqueFd>* descriptors_;
  device::cuda::Stream stream_ = nullptr;
  device::cuda::Event begin_ = nullptr;
  device::cuda::Event end_ = nullptr;
  device::cuda::DevicePointer flush_ = 0;
  std::size_t flush_words_ = 0;
  device::cuda::Function function_ = nullptr;
  std::string image_;
  std::optional<device::CudaMapping> arena_;
  LaunchPlan plan_;
  std::optional<SeparateArrays> separate_;  // under a sanitizer
  std::optional<Arguments> arguments_;
  std::optional<gate::SharedPage> page_;  // before the stage, which looks at it
  std::vector<device::CudaMapping> gate_memory_;
  std::string gate_image_;
  std::optional<gate::Stage> stage_;
  std::optional<CallGraph> graph_;  // what timed calls launch, where that was asked for
  std::vector<gate::OutputPart> outputs_;
  std::unique_ptr<Nvtx> nvtx_;  // from the first profiled call on
};

}  // namespace assay::runner
