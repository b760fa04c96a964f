#include "runner/native_runner.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <ratio>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <assay/simt_abi.h>
#include <sys/mman.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/unique_fd.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "process/frame_channel.hpp"
#include "runner/kernel_module.hpp"
#include "runner/marshal.hpp"
#include "runner/report.hpp"
#include "runner/serve_commands.hpp"

namespace assay::runner {
namespace {

RunnerReply refuse_to_build(const Error& error) {
  return Refused{.verdict = DidNotCompile{error.message()}, .findings = {}};
}

/// The state of the one evaluation this process is for.
class Session {
 public:
  explicit Session(std::vector<UniqueFd>& descriptors) : descriptors_(descriptors) {}

  RunnerReply operator()(const LoadCommand& command) {
    if (descriptors_.size() != 2) {
      return refuse_to_build(Error(ErrorCode::internal, "the module is missing"));
    }
    auto kernel = load_kernel(descriptors_[0], descriptors_[1], command.entry);
    if (!kernel) return refuse_to_build(kernel.error());
    kernel_ = *kernel;
    module_ = std::move(descriptors_[1]);
    return Done{};
  }

  RunnerReply operator()(const BindCommand& command) {
    if (kernel_ == nullptr || descriptors_.size() != 1) {
      return refuse_to_build(Error(ErrorCode::internal, "nothing to bind"));
    }
    void* arena = ::mmap(nullptr, command.arena_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                         descriptors_[0].get(), 0);
    if (arena == MAP_FAILED) return refuse_to_build(errno_error("map the arena"));
    arena_ = static_cast<std::byte*>(arena);
    plan_ = command.plan;
    auto arguments =
        Arguments::marshal(plan_.args, std::span(kernel_->params, kernel_->param_count), arena_);
    if (!arguments) {
      return refuse_to_build(
          std::move(arguments).error().while_doing("the contract does not fit the kernel"));
    }
    arguments_ = std::move(*arguments);
    describe_allocations();
    return Bound{};
  }

  RunnerReply operator()(const RunCommand&) {
    if (auto refused = launch(plan_.sanitize)) return std::move(*refused);
    return Done{};
  }

  /// The gate is for GPUs: here the worker's own clock and the account of the system must do.
  RunnerReply operator()(const ArmCommand&) { return no_gate(); }
  RunnerReply operator()(const RoundCommand&) { return no_gate(); }
  RunnerReply operator()(const HostTimeCommand&) { return no_gate(); }
  RunnerReply operator()(const TraceCommand&) { return no_gate(); }
  /// Nobody looks for the range here: what a profiler of GPUs sees of a processor is nothing.
  RunnerReply operator()(const ProfileCommand&) { return (*this)(RunCommand{}); }
  RunnerReply operator()(const CountCommand&) {
    return Counted{
        .chip = {}, .passes = 0, .values = {}, .missing = "the cpu device has no counters"};
  }

  RunnerReply operator()(const WarmCommand& command) {
    for (int i = 0; i < command.calls; ++i) {
      restore();
      if (auto refused = launch({})) return std::move(*refused);
    }
    return Done{};
  }

  RunnerReply operator()(const TimeCommand& command) {
    Samples samples;
    for (int i = 0; i < command.samples; ++i) {
      restore();
      const auto start = std::chrono::steady_clock::now();
      if (auto refused = launch({})) return std::move(*refused);
      const std::chrono::duration<double, std::nano> elapsed =
          std::chrono::steady_clock::now() - start;
      samples.ns.push_back(elapsed.count());
    }
    return samples;
  }

 private:
  static RunnerReply no_gate() {
    return Refused{.verdict = Unsupported{"there is no gate on the cpu device"}, .findings = {}};
  }

  void restore() const {
    for (const ArenaCopy& copy : plan_.restores) {
      std::memcpy(arena_ + copy.to, arena_ + copy.from, copy.size);
    }
  }

  void describe_allocations() {
    allocations_.clear();
    for (const auto& value : plan_.args) {
      const auto* part = std::get_if<ArenaPart>(&value);
      if (part == nullptr) continue;
      allocations_.push_back({.base = arena_ + part->offset,
                              .size = part->size,
                              .name = part->name.c_str(),
                              .element_size = static_cast<std::uint32_t>(part->element_size),
                              .initialised = part->initialised ? 1U : 0U});
    }
  }

  std::optional<Refused> launch(const Sanitize& sanitize) {
    if (!arguments_)
      return Refused{.verdict = Crashed{.reason = "nothing is bound"}, .findings = {}};
    assay_simt_launch_options options{};
    options.seed = plan_.schedule_seed;
    options.cooperative = plan_.cooperative ? 1 : 0;
    options.sanitize = (sanitize.memory ? ASSAY_SIMT_SANITIZE_MEMORY : 0U) |
                       (sanitize.race ? ASSAY_SIMT_SANITIZE_RACE : 0U) |
                       (sanitize.init ? ASSAY_SIMT_SANITIZE_INIT : 0U) |
                       (sanitize.sync ? ASSAY_SIMT_SANITIZE_SYNC : 0U);
    options.allocations = allocations_.data();
    options.allocation_count = allocations_.size();
    const std::uint32_t grid[3] = {plan_.grid.x, plan_.grid.y, plan_.grid.z};
    const std::uint32_t block[3] = {plan_.block.x, plan_.block.y, plan_.block.z};
    report_ = {};
    kernel_->launch(kernel_, grid, block, plan_.shared_mem_bytes, arguments_->pointers(), &options,
                    &report_);
    return refusal(report_);
  }

  std::vector<UniqueFd>& descriptors_;  // those that came with the current command
  UniqueFd module_;  // open for good: reports read lines from it, by the name it was loaded under
  const assay_simt_kernel* kernel_ = nullptr;
  std::byte* arena_ = nullptr;
  LaunchPlan plan_;
  std::optional<Arguments> arguments_;
  std::vector<assay_simt_allocation> allocations_;
  assay_simt_report report_{};
};

}  // namespace

int run_native_runner(UniqueFd channel_fd) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // what a kernel prints must survive its crash
  process::FrameChannel channel(std::move(channel_fd));
  std::vector<UniqueFd> descriptors;
  Session session(descriptors);
  return serve_commands(channel, session, descriptors);
}

}  // namespace assay::runner
