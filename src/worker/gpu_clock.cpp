#include "worker/gpu_clock.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <device_code/scene.hpp>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/random.hpp"
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
#include "timing/statistics.hpp"
#include "worker/gpu_seat.hpp"

namespace assay::worker {
namespace {

namespace cuda = device::cuda;
using device::CudaDriver;

constexpr std::chrono::seconds kLongestOwnRound{10};
constexpr double kIdleWithin = 200e3;  // ns; an empty round takes 20e3, a busy GPU's time slice 1e6

}  // namespace

Result<std::unique_ptr<GpuClock>> GpuClock::open(const CudaDriver& driver,
                                                 const std::filesystem::path& image) {
  ASSAY_TRY(gate::SharedPage page, gate::SharedPage::create());
  std::unique_ptr<GpuClock> clock(new GpuClock(driver, std::move(page)));
  if (auto ready = clock->prepare(image); !ready) return std::unexpected(ready.error());
  return clock;
}

Result<void> GpuClock::prepare(const std::filesystem::path& image) {
  ASSAY_TRY(image_, read_file(image));
  ASSAY_TRY(image_file_, sealed_copy(image));  // runners get it, and may be of our own user
  int cache = 0;
  driver_.device_attribute(&cache, cuda::DeviceAttribute::l2_cache_size, 0);
  sweep_bytes_ = static_cast<std::size_t>(cache) / 16 * 16;
  ASSAY_TRY(sweep_, device::CudaMapping::allocate(driver_, sweep_bytes_));
  ASSAY_TRY(sweep_file_, sweep_->share());
  ASSAY_TRY(ledger_, device::CudaMapping::allocate(driver_, sizeof(scene::Ledger)));
  auto done =
      check(driver_, driver_.stream_create(&stream_, cuda::kStreamNonBlocking), "cuStreamCreate");
  if (!done) return done;
  ASSAY_TRY(stage_, gate::Stage::open(driver_, image_, *page_,
                                      {.ledger = ledger_->address(),
                                       .sweep = sweep_->address(),
                                       .sweep_bytes = sweep_bytes_}));
  done = check(driver_, stage_->fill(sweep_->address(), sweep_bytes_, random_u64(), stream_),
               "fill the sweep buffer");
  if (done) done = check(driver_, driver_.stream_synchronize(stream_), "cuStreamSynchronize");
  if (!done) return done;
  watch_state();
  ASSAY_TRY(const double on_default, time_launches(nullptr));
  ASSAY_TRY(const double on_own, time_launches(stream_));
  launch_ns_ = std::min(on_default, on_own);
  return {};
}

/// Where NVML is missing or does not know the GPU, as inside some containers, nothing is said of
/// its state.
void GpuClock::watch_state() {
  cuda::Uuid uuid{};
  auto nvml = device::Nvml::open();
  if (!nvml || driver_.device_uuid(&uuid, 0) != cuda::kSuccess) return;
  nvml_ = *std::move(nvml);
  if (auto state = device::GpuState::of(*nvml_, device::to_string(uuid)))
    state_ = *std::move(state);
}

double GpuClock::least_ns_to_write(std::size_t bytes) const {
  int kilohertz = 0;
  int bus_bits = 0;
  driver_.device_attribute(&kilohertz, cuda::DeviceAttribute::memory_clock_rate, 0);
  driver_.device_attribute(&bus_bits, cuda::DeviceAttribute::global_memory_bus_width, 0);
  const double bytes_per_ns = 2.0 * kilohertz * 1e3 * bus_bits / 8 / 1e9;  // twice a cycle
  if (bytes_per_ns <= 0 || bytes <= sweep_bytes_) return 0;
  return static_cast<double>(bytes - sweep_bytes_) / bytes_per_ns;
}

std::optional<DeviceState> GpuClock::state() const {
  if (!state_) return std::nullopt;
  return state_->read();
}

Result<double> GpuClock::time_launches(cuda::Stream stream) {
  constexpr int kLaunches = 64;
  constexpr int kRepeats = 9;
  std::array<cuda::Event, 2> events{};
  cuda::Status status = cuda::kSuccess;
  for (cuda::Event& event : events) {
    if (status == cuda::kSuccess) status = driver_.event_create(&event, cuda::kEventDefault);
  }
  std::vector<double> all;
  for (int repeat = 0; repeat < kRepeats && status == cuda::kSuccess; ++repeat) {
    const std::uint32_t number = ++rounds_;
    status = stage_->wait_for_gate(number, stream);
    if (status == cuda::kSuccess) status = driver_.event_record(events[0], stream);
    for (int i = 0; i < kLaunches && status == cuda::kSuccess; ++i) {
      status = stage_->launch_nothing(stream);
    }
    if (status == cuda::kSuccess) status = driver_.event_record(events[1], stream);
    page_->go.store(number, std::memory_order_release);
    if (status == cuda::kSuccess) status = driver_.stream_synchronize(stream);
    float milliseconds = 0;
    if (status == cuda::kSuccess) {
      status = driver_.event_elapsed(&milliseconds, events[0], events[1]);
    }
    all.push_back(static_cast<double>(milliseconds) * 1e6 / kLaunches);
  }
  for (cuda::Event event : events) driver_.event_destroy(event);
  if (auto done = check(driver_, status, "time empty launches"); !done) {
    return std::unexpected(done.error());
  }
  return timing::median_of(all);
}

Result<std::unique_ptr<eval::Seat>> GpuClock::take_seat(const eval::Scene& scene) {
  ASSAY_TRY(auto seat, GpuSeat::create(*this, scene));
  return seat;
}

void GpuClock::set_inputs(std::vector<gate::VariedInput> inputs,
                          std::vector<gate::BlankOutput> blanks, bool sweeps) {
  stage_->set_inputs(std::move(inputs), std::move(blanks), sweeps);
}

bool GpuClock::device_is_idle() {
  const auto taken = own_round({});
  return taken && *taken < kIdleWithin;
}

Result<double> GpuClock::own_round(const OwnRound& round) {
  const std::uint32_t number = ++rounds_;
  cuda::Status status = stage_->wait_for_gate(number, stream_);
  if (status == cuda::kSuccess) status = stage_->begin(stream_);
  for (std::uint32_t i = 0; i < round.calls && status == cuda::kSuccess; ++i) {
    status = stage_->before(i, stream_);
    for (int k = 0; k < round.fingerprints && status == cuda::kSuccess; ++k) {
      status = stage_->after(i, round.outputs, stream_);
    }
  }
  if (status == cuda::kSuccess) status = stage_->end(round.calls, number, stream_);
  let_the_gpu_come_to_the_gate();
  const auto start = std::chrono::steady_clock::now();
  page_->go.store(number, std::memory_order_release);  // also where it failed: others wait behind
  if (auto queued = check(driver_, status, "queue a round"); !queued) {
    return std::unexpected(queued.error());
  }
  while (page_->done.load(std::memory_order_acquire) != number) {
    if (std::chrono::steady_clock::now() - start > kLongestOwnRound) {
      return fail(ErrorCode::unavailable, "the GPU does not come to the end of an empty round");
    }
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  if (auto ended = check(driver_, driver_.stream_synchronize(stream_), "cuStreamSynchronize");
      !ended) {
    return std::unexpected(ended.error());
  }
  return taken.count();
}

Result<std::vector<std::uint64_t>> GpuClock::sweep_sums(const eval::SeenRound& round) {
  std::vector<scene::Entry> entries = round.entries;
  for (scene::Entry& entry : entries) entry.sweep = 0;
  const std::size_t bytes = entries.size() * sizeof(scene::Entry);
  const cuda::DevicePointer first = stage_->ledger() + offsetof(scene::Ledger, entries);
  cuda::Status status = driver_.copy_to_device(stage_->ledger(), &round.key, sizeof(round.key));
  if (status == cuda::kSuccess) status = driver_.copy_to_device(first, entries.data(), bytes);
  if (status == cuda::kSuccess) status = driver_.context_synchronize();
  for (std::uint32_t i = 0; i < entries.size() && status == cuda::kSuccess; ++i) {
    status = stage_->sweep(i, stream_);
  }
  if (status == cuda::kSuccess) status = driver_.stream_synchronize(stream_);
  if (status == cuda::kSuccess) status = driver_.copy_to_host(entries.data(), first, bytes);
  if (auto done = check(driver_, status, "sweep the cache"); !done) {
    return std::unexpected(done.error());
  }
  std::vector<std::uint64_t> sums;
  for (const scene::Entry& entry : entries) sums.push_back(entry.sweep);
  return sums;
}

}  // namespace assay::worker
