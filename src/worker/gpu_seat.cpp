#include "worker/gpu_seat.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <device_code/scene.hpp>

#include "base/random.hpp"
#include "base/result.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_memory.hpp"
#include "eval/outside_clock.hpp"
#include "gate/page.hpp"
#include "gate/scene_check.hpp"
#include "gate/stage.hpp"
#include "model/runner_protocol.hpp"
#include "timing/outside_time.hpp"
#include "worker/gpu_clock.hpp"

namespace assay::worker {
namespace {

using SteadyClock = std::chrono::steady_clock;
using eval::NoTime;
using eval::OutputShape;
using eval::SeenRound;

constexpr std::size_t kAlignment = 512;  // of inputs in the vault
constexpr std::uint32_t kSceneCalls = 10;
constexpr double kLongScenes = 10e6;  // ns: so much of scenes is enough, however few they are
constexpr std::size_t kSceneRepeats = 9;
constexpr std::size_t kLongSceneRepeats = 3;  // of scenes that are long each
constexpr std::size_t kMostSceneRepeats = 101;
constexpr int kPollsBetweenQuestions = 256;

std::size_t aligned(std::size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

/// How many scenes a round should have more, where one takes so long.
std::size_t scenes_worth(double one_ns) {
  return static_cast<std::size_t>(std::clamp(kLongScenes / one_ns, 1.0, double{kSceneCalls}));
}

/// Spins until `word` is `value`. False where `until` says to stop first.
bool await_word(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                const std::function<bool()>& until) {
  int polls = 0;
  while (word.load(std::memory_order_acquire) != value) {
    if (++polls % kPollsBetweenQuestions != 0) continue;
    if (until()) return word.load(std::memory_order_acquire) == value;
  }
  return true;
}

}  // namespace

void let_the_gpu_come_to_the_gate() {
  constexpr std::chrono::microseconds kLong{300};  // 130 of them to come from another process
  const auto start = SteadyClock::now();
  while (SteadyClock::now() - start < kLong) {
  }
}

Result<std::unique_ptr<GpuSeat>> GpuSeat::create(GpuClock& clock, const eval::Scene& scene) {
  ASSAY_TRY(gate::SharedPage page, gate::SharedPage::create());
  ASSAY_TRY(auto ledger, device::CudaMapping::allocate(clock.driver(), sizeof(scene::Ledger)));
  std::unique_ptr<GpuSeat> seat(new GpuSeat(clock, std::move(page), std::move(ledger)));
  ASSAY_TRY(seat->ledger_file_, seat->ledger_.share());
  if (auto laid = seat->lay_out(scene); !laid) return std::unexpected(laid.error());
  return seat;
}

Result<void> GpuSeat::lay_out(const eval::Scene& scene) {
  std::size_t size = 0;
  for (const eval::SceneInput& input : scene.inputs) {
    command_.inputs.push_back({.from = size,
                               .to = input.offset,
                               .size = input.bytes.size(),
                               .how = input.how,
                               .gentle = input.gentle});
    size += aligned(input.bytes.size());
  }
  command_.image_size = clock_.image_size();
  command_.ledger_size = sizeof(scene::Ledger);
  command_.sweep_size = clock_.sweep_size();
  command_.vault_size = size;
  command_.sweeps = scene.sweeps;
  command_.graph = scene.graph;
  command_.blanks = scene.blanks;
  command_.outputs = scene.outputs;
  if (size == 0) return {};
  const device::CudaDriver& driver = clock_.driver();
  ASSAY_TRY(vault_, device::CudaMapping::allocate(driver, size));
  ASSAY_TRY(vault_file_, vault_->share());
  for (std::size_t i = 0; i < scene.inputs.size(); ++i) {
    const auto bytes = scene.inputs[i].bytes;
    auto copied = check(driver,
                        driver.copy(vault_->address() + command_.inputs[i].from,
                                    std::bit_cast<std::uint64_t>(bytes.data()), bytes.size()),
                        "cuMemcpy");
    if (!copied) return copied;
  }
  // A copy from pageable memory returns before it has arrived.
  return check(driver, driver.context_synchronize(), "cuCtxSynchronize");
}

std::vector<int> GpuSeat::descriptors() const {
  std::vector<int> all{page_.fd(), clock_.image_fd(), ledger_file_.get(), clock_.sweep_fd()};
  if (vault_) all.push_back(vault_file_.get());
  return all;
}

Result<eval::Attended> GpuSeat::attend(const RoundCommand& round, std::chrono::nanoseconds patience,
                                       const std::function<bool()>& answered) {
  const auto asked = SteadyClock::now();
  const bool queued = await_word(page_->queued, round.number, [&] {
    return answered() || SteadyClock::now() - asked > patience;
  });
  SeenRound seen{.key = random_u64()};
  if (queued) let_the_gpu_come_to_the_gate();
  const auto start = SteadyClock::now();
  // Not before the clock runs: whoever knows the key can begin.
  page_->key.store(seen.key, std::memory_order_relaxed);
  page_->go.store(round.number, std::memory_order_release);  // in any case: nobody is left waiting
  if (!queued) return answered() ? NoTime::unfinished : NoTime::not_queued;
  if (!await_word(page_->done, round.number, answered)) return NoTime::unfinished;
  seen.wall_ns = std::chrono::duration<double, std::nano>(SteadyClock::now() - start).count();
  const std::uint64_t seal = page_->seal.load(std::memory_order_acquire);
  ASSAY_TRY(seen.entries, entries(round.calls));
  if (gate::seal_of(seen.key, seen.entries) != seal) return NoTime::forged;
  return seen;
}

Result<std::vector<scene::Entry>> GpuSeat::entries(std::uint32_t calls) const {
  std::vector<scene::Entry> all(std::min(calls, scene::kMostCalls));
  const device::CudaDriver& driver = clock_.driver();
  const auto copied =
      check(driver,
            driver.copy_to_host(all.data(), ledger_.address() + offsetof(scene::Ledger, entries),
                                all.size() * sizeof(scene::Entry)),
            "cuMemcpyDtoH");
  if (!copied) return std::unexpected(copied.error());
  return all;
}

Result<bool> GpuSeat::sweeps_are_true(const SeenRound& round) {
  if (!command_.sweeps) return true;
  ASSAY_TRY(const auto sums, clock_.sweep_sums(round));
  return std::ranges::equal(sums, round.entries, {}, {}, &scene::Entry::sweep);
}

Result<std::vector<gate::OutputPart>> GpuSeat::stand_in(std::span<const OutputShape> outputs) {
  std::size_t size = command_.vault_size;
  for (const OutputShape& output : outputs) size += aligned(output.count * output.element_size);
  for (const ArenaPoison& blank : command_.blanks) size += aligned(blank.size);
  if (!scratch_ || scratch_bytes_ < size) {
    scratch_.reset();
    ASSAY_TRY(scratch_, device::CudaMapping::allocate(clock_.driver(), std::max(size, kAlignment)));
    scratch_bytes_ = size;
  }
  std::vector<gate::VariedInput> inputs;
  for (ArmedInput input : command_.inputs) {
    input.to = input.from;  // there, as in the vault
    inputs.push_back(gate::varied_input(input, vault_->address(), scratch_->address()));
  }
  std::size_t offset = command_.vault_size;
  std::vector<gate::BlankOutput> blanks;
  for (const ArenaPoison& blank : command_.blanks) {
    blanks.push_back({.to = scratch_->address() + offset, .size = blank.size});
    offset += aligned(blank.size);
  }
  clock_.set_inputs(std::move(inputs), std::move(blanks), command_.sweeps);
  std::vector<gate::OutputPart> parts;
  for (const OutputShape& output : outputs) {
    parts.push_back({.data = scratch_->address() + offset,
                     .count = output.count,
                     .element_size = output.element_size,
                     .layout = {}});
    offset += aligned(output.count * output.element_size);
  }
  return parts;
}

std::vector<std::uint64_t> GpuSeat::sizes_of(std::span<const OutputShape> outputs) const {
  std::vector<std::uint64_t> sizes{command_.sweeps ? 1U : 0U};
  for (const ArmedInput& input : command_.inputs) {
    sizes.push_back(input.size);
    sizes.push_back(static_cast<std::uint64_t>(input.how));
  }
  sizes.push_back(0);
  for (const ArenaPoison& blank : command_.blanks) sizes.push_back(blank.size);
  sizes.push_back(0);
  for (const OutputShape& output : outputs) {
    sizes.push_back(output.count);
    sizes.push_back(output.element_size);
  }
  return sizes;
}

Result<eval::SceneCost> GpuSeat::scene_cost(std::span<const OutputShape> outputs) {
  ASSAY_TRY(const auto parts, stand_in(outputs));
  GpuClock::EmptyRounds& known = clock_.scenes_like(sizes_of(outputs));
  const std::size_t before = known[0].long_ns.size();
  std::size_t repeats = before < kSceneRepeats ? kSceneRepeats : 1;
  for (std::size_t i = 0; i < repeats && before + i < kMostSceneRepeats; ++i) {
    // A call leaves its answers in the cache, an empty round does not. So: without fingerprints,
    // and what a second fingerprint takes after the first.
    for (std::size_t fingerprints = 0; fingerprints < known.size(); ++fingerprints) {
      GpuClock::OwnRound round{
          .calls = 1, .fingerprints = static_cast<int>(fingerprints), .outputs = parts};
      ASSAY_TRY(const double one, clock_.own_round(round));
      timing::OutsideRounds& seen = known[fingerprints];
      const std::size_t more = seen.long_ns.empty() ? scenes_worth(one) : seen.apart;
      if (more < kSceneCalls) repeats = std::min(repeats, kLongSceneRepeats);
      round.calls = static_cast<std::uint32_t>(1 + more);
      ASSAY_TRY(const double many, clock_.own_round(round));
      seen.add({.short_ns = {one}, .long_ns = {many}, .apart = more});
    }
  }
  return eval::SceneCost{.call_ns = known[0].call_ns() + known[2].call_ns() - known[1].call_ns(),
                         .round_ns = known[0].beside_ns()};
}

}  // namespace assay::worker
