#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "device/cuda_memory.hpp"
#include "eval/outside_clock.hpp"
#include "gate/page.hpp"
#include "gate/stage.hpp"
#include "model/runner_protocol.hpp"

namespace assay::worker {

class GpuClock;

/// Waits long enough for the GPU to reach the closed gate and have nothing else to do.
void let_the_gpu_come_to_the_gate();

/// One runner's page, ledger and inputs.
class GpuSeat final : public eval::Seat {
 public:
  /// `clock` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<GpuSeat>> create(GpuClock& clock,
                                                               const eval::Scene& scene);

  [[nodiscard]] const ArmCommand& command() const override { return command_; }
  [[nodiscard]] std::vector<int> descriptors() const override;
  [[nodiscard]] Result<eval::Attended> attend(const RoundCommand& round,
                                              std::chrono::nanoseconds patience,
                                              const std::function<bool()>& answered) override;
  [[nodiscard]] Result<bool> sweeps_are_true(const eval::SeenRound& round) override;
  [[nodiscard]] Result<eval::SceneCost> scene_cost(
      std::span<const eval::OutputShape> outputs) override;

 private:
  GpuSeat(GpuClock& clock, gate::SharedPage page, device::CudaMapping ledger)
      : clock_(clock), page_(std::move(page)), ledger_(std::move(ledger)) {}
  [[nodiscard]] Result<void> lay_out(const eval::Scene& scene);
  /// Stands in for a runner's inputs and answers in rounds of our own.
  [[nodiscard]] Result<std::vector<gate::OutputPart>> stand_in(
      std::span<const eval::OutputShape> outputs);
  [[nodiscard]] std::vector<std::uint64_t> sizes_of(
      std::span<const eval::OutputShape> outputs) const;
  [[nodiscard]] Result<std::vector<scene::Entry>> entries(std::uint32_t calls) const;

  GpuClock& clock_;
  gate::SharedPage page_;
  device::CudaMapping ledger_;
  UniqueFd ledger_file_;
  std::optional<device::CudaMapping> vault_;
  UniqueFd vault_file_;
  std::optional<device::CudaMapping> scratch_;  // where our own rounds write and read
  std::size_t scratch_bytes_ = 0;
  ArmCommand command_;
};

}  // namespace assay::worker
