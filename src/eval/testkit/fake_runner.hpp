#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <device_code/scene.hpp>
#include <sys/mman.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/outside_clock.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "eval/testkit/fake_clock.hpp"
#include "gate/scene_check.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "model/runner_protocol.hpp"

namespace assay::eval::testkit {

inline constexpr std::size_t kCount = 64;

/// What a kernel of the contract below sees.
struct Buffers {
  float* in;
  float* out;
  bool timing;
};
using Behaviour = std::function<Attempt<void>(Buffers)>;

inline Attempt<void> doubles(Buffers b) {
  for (std::size_t i = 0; i < kCount; ++i) b.out[i] = 2 * b.in[i];
  return {};
}

/// Runs a function on the arena in this process, as a runner would in its own.
class FakeRunner final : public Runner {
 public:
  using Watch = std::function<void(const FakeRunner&)>;

  FakeRunner(Behaviour behaviour, ManualClock& clock, double claimed_fraction,
             std::optional<KernelResources> resources)
      : behaviour_(std::move(behaviour)),
        clock_(clock),
        claimed_fraction_(claimed_fraction),
        resources_(resources) {}
  ~FakeRunner() override {
    if (arena_ != nullptr) ::munmap(arena_, size_);
  }
  FakeRunner(const FakeRunner&) = delete;
  FakeRunner& operator=(const FakeRunner&) = delete;
  FakeRunner(FakeRunner&&) = delete;
  FakeRunner& operator=(FakeRunner&&) = delete;

  Attempt<void> load(const BuiltKernel&, const Bounds&) override { return {}; }
  Attempt<std::optional<KernelResources>> bind(const LaunchPlan& plan, int fd, std::size_t size,
                                               const Bounds&) override {
    plan_ = plan;
    size_ = size;
    arena_ =
        static_cast<std::byte*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    return resources_;
  }
  Attempt<void> run(const Bounds&) override {
    paused_ = false;
    return behaviour_(buffers(false));
  }
  Attempt<void> warm(int calls, const Bounds&) override {
    paused_ = false;
    if (watch_) watch_(*this);
    for (int i = 0; i < calls; ++i) {
      restore();
      if (auto ran = behaviour_(buffers(true)); !ran) return ran;
    }
    return {};
  }
  Attempt<std::vector<double>> time(int samples, const Bounds&) override {
    paused_ = false;  // by the command
    if (watch_) watch_(*this);
    std::vector<double> ns;
    for (int i = 0; i < samples; ++i) {
      restore();
      if (auto ran = behaviour_(buffers(true)); !ran) return std::unexpected(ran.error());
      clock_.advance(std::chrono::milliseconds(10));
      ns.push_back(10e6 * claimed_fraction_);
    }
    return ns;
  }
  /// Told of the call that a profiler would see, which is then made.
  std::function<void(const std::string& range)> on_profile;
  Attempt<void> profile(const ProfileCommand& command, const Bounds& bounds) override {
    if (!on_profile) return Runner::profile(command, bounds);
    on_profile(command.range);
    return behaviour_(buffers(false));
  }
  /// Told of what shall be counted.
  std::function<Counted(const CountCommand& command)> on_count;
  Attempt<Counted> count(const CountCommand& command, const Bounds& bounds) override {
    return on_count ? on_count(command) : Runner::count(command, bounds);
  }
  /// With a gate it can be timed from outside.
  void attach(FakeGate& gate) { gate_ = &gate; }
  Attempt<void> arm(const ArmCommand& command, std::span<const int> descriptors,
                    const Bounds& bounds) override {
    return gate_ == nullptr ? Runner::arm(command, descriptors, bounds) : Attempt<void>{};
  }
  Attempt<Rounded> round(const RoundCommand& command, const Bounds&) override {
    Rounded rounded;
    gate_->entries.clear();
    for (std::uint32_t i = 0; i < command.calls; ++i) {
      gate_->entries.push_back({.inputs = i, .sweep = 7 * i});
      write_inputs(i);
      if (auto ran = behaviour_(buffers(true)); !ran) return std::unexpected(ran.error());
      const auto out = std::as_bytes(std::span(at(1), kCount));
      gate_->entries.back().outputs = gate::fingerprint(out, sizeof(float), gate_->key, 0);
      if (command.events) rounded.event_ns.push_back(gate_->call_ns * claimed_fraction_);
      rounded.queue_ns.push_back(5e3);
      rounded.launch_ns = gate_->launch_ns;
    }
    return rounded;
  }
  Attempt<std::vector<double>> host_time(std::uint32_t calls, const Bounds&) override {
    return std::vector<double>(calls, 40e3);
  }
  Attempt<Traced> trace(const TraceCommand&, const Bounds&) override {
    return Traced{.time = {.busy_ns = gate_->call_ns - 2e3,
                           .kernels = {{.name = "work",
                                        .launches = gate_->launches,
                                        .ns = gate_->call_ns - 2e3,
                                        .share = 1}}},
                  .missing = gate_->trace_missing};
  }
  std::optional<std::chrono::nanoseconds> cpu_time() const override {
    return clock_.now().time_since_epoch();  // computes whenever time passes
  }
  Result<void> pause() override {
    if (!can_be_paused_) return fail(ErrorCode::deadline_exceeded, "it goes on and on");
    paused_ = true;
    return {};
  }
  void resume() override { paused_ = false; }
  [[nodiscard]] bool is_paused() const { return paused_; }
  void refuse_to_pause() { can_be_paused_ = false; }
  /// Told of every batch that is timed.
  void watch(Watch watch) { watch_ = std::move(watch); }

 private:
  void restore() const {
    for (const ArenaCopy& copy : plan_.restores) {
      std::copy_n(arena_ + copy.from, copy.size, arena_ + copy.to);
    }
  }
  /// As the GPU does before a call.
  void write_inputs(std::uint32_t call) {
    const std::uint64_t before = call == 0 ? 0 : gate_->entries[call - 1].outputs;
    const gate::Seeds seeds{.early = scene::early_seed(gate_->key, call, before),
                            .late = scene::late_seed(gate_->key, gate_->entries[call])};
    for (const SceneInput& input : gate_->scene.inputs) {
      const auto strength = input.gentle ? scene::Strength::gentle : scene::Strength::strong;
      gate::vary(input.how, strength, input.bytes,
                 std::span(arena_ + input.offset, input.bytes.size()), seeds);
    }
  }
  Buffers buffers(bool timing) { return {at(0), at(1), timing}; }
  float* at(std::size_t arg) {
    if (arg >= plan_.args.size()) return nullptr;
    return reinterpret_cast<float*>(arena_ + std::get<ArenaPart>(plan_.args[arg]).offset);
  }

  Behaviour behaviour_;
  ManualClock& clock_;
  double claimed_fraction_;
  std::optional<KernelResources> resources_;
  Watch watch_;
  bool can_be_paused_ = true;
  bool paused_ = false;
  LaunchPlan plan_;
  FakeGate* gate_ = nullptr;
  std::byte* arena_ = nullptr;
  std::size_t size_ = 0;
};

class FakeSource final : public RunnerSource {
 public:
  explicit FakeSource(ManualClock& clock) : clock_(clock) {}
  /// The runner is the source's until it is asked for, and an evaluation's from then on.
  FakeRunner& add(Behaviour behaviour, double claimed_fraction = 1.0,
                  std::optional<KernelResources> resources = std::nullopt) {
    auto runner =
        std::make_unique<FakeRunner>(std::move(behaviour), clock_, claimed_fraction, resources);
    FakeRunner& added = *runner;
    waiting_.push_back(std::move(runner));
    return added;
  }
  Result<std::unique_ptr<Runner>> fresh() override {
    if (waiting_.empty()) return fail(ErrorCode::unavailable, "no runner");
    auto runner = std::move(waiting_.front());
    waiting_.pop_front();
    return runner;
  }
  Result<std::unique_ptr<PythonRunner>> fresh_python(const Bounds&) override {
    return fail(ErrorCode::unavailable, "no Python");
  }
  Result<std::unique_ptr<SharedArena>> make_arena(std::size_t size) override {
    return make_host_arena(size);
  }
  Result<OutsideClock*> outside_clock() override {
    return clock_outside != nullptr ? Result<OutsideClock*>(clock_outside)
                                    : RunnerSource::outside_clock();
  }

  [[nodiscard]] std::optional<std::size_t> free_memory() const override { return free; }
  [[nodiscard]] std::optional<std::size_t> memory_limit() const override { return limit; }
  void await_ends(const Bounds&) override {
    if (free) *free += std::exchange(freed_by_end, 0);
  }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> processor_pressure() const override {
    const std::chrono::duration<double, std::nano> passed = clock_.now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(passed * busy_part);
  }

  double busy_part = 0;  // of the time in which some process waits for a processor
  OutsideClock* clock_outside = nullptr;
  std::optional<std::size_t> free;   // bytes of the device
  std::optional<std::size_t> limit;  // of them, for one runner
  std::size_t freed_by_end = 0;      // what comes back when runners are gone

 private:
  ManualClock& clock_;
  std::deque<std::unique_ptr<Runner>> waiting_;
};

/// A kernel without a tensor to answer in.
inline Kernel mute_kernel() {
  return {.type = KernelType::cuda, .io = IoContract{}};
}

inline Kernel kernel(Role out_role = Role::output,
                     const TensorContent& out_content = Unspecified{}) {
  const auto count = static_cast<std::int64_t>(kCount);
  return {.type = KernelType::cuda,
          .io = IoContract{
              .args = {{.name = "in", .value = TensorArg{.shape = {count}, .content = Randn{}}},
                       {.name = "out",
                        .value = TensorArg{
                            .shape = {count}, .content = out_content, .role = out_role}}}}};
}

}  // namespace assay::eval::testkit
