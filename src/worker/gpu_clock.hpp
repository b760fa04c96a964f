#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_memory.hpp"
#include "device/gpu_state.hpp"
#include "device/nvml.hpp"
#include "eval/outside_clock.hpp"
#include "gate/page.hpp"
#include "gate/stage.hpp"
#include "model/device_state.hpp"
#include "timing/outside_time.hpp"

namespace assay::worker {

/// Times what runners do on a GPU from the worker's own process (docs/timing.md).
class GpuClock final : public eval::OutsideClock {
 public:
  /// `image` is the module made of device_code/. The calling thread has a context, and is the one
  /// that uses this; `driver` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<GpuClock>> open(const device::CudaDriver& driver,
                                                              const std::filesystem::path& image);

  [[nodiscard]] Result<std::unique_ptr<eval::Seat>> take_seat(const eval::Scene& scene) override;
  [[nodiscard]] bool device_is_idle() override;
  [[nodiscard]] double launch_ns() const override { return launch_ns_; }
  [[nodiscard]] double least_ns_to_write(std::size_t bytes) const override;
  [[nodiscard]] std::optional<DeviceState> state() const override;

  [[nodiscard]] const device::CudaDriver& driver() const { return driver_; }
  /// What runners are given: the module, and the memory they sweep the cache with.
  [[nodiscard]] int image_fd() const { return image_file_.get(); }
  [[nodiscard]] int sweep_fd() const { return sweep_file_.get(); }
  [[nodiscard]] std::size_t image_size() const { return image_.size(); }
  [[nodiscard]] std::size_t sweep_size() const { return sweep_bytes_; }

  /// A round of ours without calls, and how often its outputs are fingerprinted.
  struct OwnRound {
    std::uint32_t calls = 0;
    int fingerprints = 1;
    std::span<const gate::OutputPart> outputs;
  };
  /// How long such a round takes, in nanoseconds, over the inputs that were last set.
  [[nodiscard]] Result<double> own_round(const OwnRound& round);
  void set_inputs(std::vector<gate::VariedInput> inputs, std::vector<gate::BlankOutput> blanks,
                  bool sweeps);
  /// Rounds without calls. Their outputs are fingerprinted not at all, once and twice.
  using EmptyRounds = std::array<timing::OutsideRounds, 3>;
  /// What all evaluations together have measured of scenes with these `sizes`.
  [[nodiscard]] EmptyRounds& scenes_like(const std::vector<std::uint64_t>& sizes) {
    return scenes_[sizes];
  }
  /// The sums that sweeps give after these calls.
  [[nodiscard]] Result<std::vector<std::uint64_t>> sweep_sums(const eval::SeenRound& round);

 private:
  GpuClock(const device::CudaDriver& driver, gate::SharedPage page)
      : driver_(driver), page_(std::move(page)) {}
  [[nodiscard]] Result<void> prepare(const std::filesystem::path& image);
  void watch_state();
  /// What launches that do nothing take on this stream, each.
  [[nodiscard]] Result<double> time_launches(device::cuda::Stream stream);

  const device::CudaDriver& driver_;
  gate::SharedPage page_;  // our own, for rounds of ours
  std::string image_;
  UniqueFd image_file_;
  std::size_t sweep_bytes_ = 0;
  std::optional<device::CudaMapping> sweep_;
  UniqueFd sweep_file_;
  std::optional<device::CudaMapping> ledger_;
  device::cuda::Stream stream_ = nullptr;  // ends with the process
  std::optional<gate::Stage> stage_;
  std::uint32_t rounds_ = 0;
  double launch_ns_ = 0;
  std::optional<device::Nvml> nvml_;
  std::optional<device::GpuState> state_;
  std::map<std::vector<std::uint64_t>, EmptyRounds> scenes_;
};

}  // namespace assay::worker
