#include "runner/cuda_session.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <assay/simt_abi.h>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "device/cubin.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_memory.hpp"
#include "gate/kernel_trace.hpp"
#include "gate/page.hpp"
#include "gate/round.hpp"
#include "gate/stage.hpp"
#include "model/io_contract.hpp"
#include "model/kernel_resources.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "runner/clean_cache.hpp"
#include "runner/counted_call.hpp"
#include "runner/launch_facts.hpp"
#include "runner/marshal.hpp"
#include "runner/nvtx.hpp"

namespace assay::runner {
namespace {

using device::CudaDriver;
using device::cuda::Status;
namespace cuda = device::cuda;

constexpr std::size_t kLargestModule = std::size_t{256} << 20U;
constexpr unsigned char kPoison = 0xFF;       // as tensor::poison writes it
constexpr int kPlainSharedBytes = 48 * 1024;  // more than this must be asked for

RunnerReply refused(Verdict verdict) {
  return Refused{.verdict = std::move(verdict), .findings = {}};
}

RunnerReply does_not_fit(std::string reason) {
  return refused(DidNotCompile{.log = std::move(reason)});
}

int device_attribute(const CudaDriver& driver, cuda::DeviceAttribute which) {
  int value = 0;
  driver.device_attribute(&value, which, 0);
  return value;
}

int function_attribute(const CudaDriver& driver, cuda::FunctionAttribute which,
                       cuda::Function function) {
  int value = 0;
  driver.function_attribute(&value, which, function);
  return value;
}

gate::RoundPlan plan_of(const RoundCommand& command) {
  return {.number = command.number,
          .calls = command.calls,
          .held = command.held,
          .events = command.events};
}

/// What a value is passed as where only the size of the parameter is known.
std::uint32_t kind_for(const std::variant<ArenaPart, ScalarArg>& value) {
  const auto* scalar = std::get_if<ScalarArg>(&value);
  if (scalar == nullptr) return ASSAY_SIMT_POINTER;
  return std::holds_alternative<double>(*scalar) ? ASSAY_SIMT_FLOAT : ASSAY_SIMT_SIGNED;
}

}  // namespace

Result<CudaSession> CudaSession::open(const CudaDriver& driver,
                                      std::vector<UniqueFd>& descriptors) {
  // Spinning: the processor time then shows how long the GPU took, which the worker checks.
  if (auto made = open_context(driver, cuda::kScheduleSpin); !made) {
    return std::unexpected(std::move(made).error());
  }
  CudaSession session(driver, descriptors);
  if (auto ready = session.prepare(); !ready) return std::unexpected(std::move(ready).error());
  return session;
}

Result<void> CudaSession::prepare() {
  auto done =
      check(*driver_, driver_->stream_create(&stream_, cuda::kStreamNonBlocking), "cuStreamCreate");
  for (cuda::Event* event : {&begin_, &end_}) {
    if (!done) return done;
    done = check(*driver_, driver_->event_create(event, cuda::kEventDefault), "cuEventCreate");
  }
  if (!done) return done;
  const auto l2 = device_attribute(*driver_, cuda::DeviceAttribute::l2_cache_size);
  flush_words_ = static_cast<std::size_t>(l2) * 2 / sizeof(std::uint32_t);
  if (flush_words_ == 0) return done;
  return check(*driver_, driver_->allocate(&flush_, flush_words_ * sizeof(std::uint32_t)),
               "cuMemAlloc");
}

RunnerReply CudaSession::operator()(const LoadCommand& command) {
  if (descriptors_->size() != 1) return does_not_fit("the module is missing");
  auto image =
      read_file(fmt::format("/proc/self/fd/{}", descriptors_->front().get()), kLargestModule);
  if (!image) return does_not_fit(image.error().message());
  image_ = std::move(*image);
  cuda::Module module = nullptr;
  Status status = driver_->module_load_data(&module, image_.data());
  if (status == cuda::kSuccess) {
    status = driver_->module_get_function(&function_, module, command.entry.c_str());
  }
  if (status == cuda::kSuccess) return Done{};
  if (status == cuda::kOutOfMemory) return refusal(status);
  return does_not_fit("load the module: " + describe(*driver_, status));
}

std::vector<assay_simt_param> CudaSession::parameters() const {
  std::vector<assay_simt_param> parameters;
  const auto cubin = device::Cubin::open(image_);
  if (const auto signature = cubin ? cubin->signature() : std::nullopt) {
    for (const auto& [kind, size] : *signature) {
      parameters.push_back({.kind = kind, .size = size, .align = size});
    }
    return parameters;
  }
  std::size_t offset = 0;
  std::size_t size = 0;
  while (driver_->function_parameter != nullptr &&
         driver_->function_parameter(function_, parameters.size(), &offset, &size) ==
             cuda::kSuccess) {
    const std::size_t i = parameters.size();
    const std::uint32_t kind = i < plan_.args.size() ? kind_for(plan_.args[i]) : 0;
    const auto bytes = static_cast<std::uint32_t>(size);
    parameters.push_back({.kind = kind, .size = bytes, .align = bytes});
  }
  return parameters;
}

RunnerReply CudaSession::operator()(const BindCommand& command) {
  if (function_ == nullptr || descriptors_->size() != 1) return does_not_fit("nothing to bind");
  plan_ = command.plan;
  if (auto refusal = allow_shared_memory(plan_.shared_mem_bytes)) return std::move(*refusal);
  arena_.reset();
  auto arena = device::CudaMapping::import(*driver_, descriptors_->front(), command.arena_size);
  if (!arena) return does_not_fit(std::move(arena).error().while_doing("map the arena").message());
  arena_ = std::move(*arena);
  auto arguments = marshal();
  if (!arguments) {
    return does_not_fit(
        std::move(arguments).error().while_doing("the contract does not fit the kernel").message());
  }
  arguments_ = std::move(*arguments);
  return Bound{resources()};
}

Result<Arguments> CudaSession::marshal() {
  separate_.reset();
  if (!plan_.sanitize.any()) {
    return Arguments::marshal(plan_.args, parameters(),
                              reinterpret_cast<std::byte*>(arena_->address()));
  }
  ASSAY_TRY(auto arrays, SeparateArrays::allocate(*driver_, plan_.args));
  separate_ = std::move(arrays);
  fmt::print("{}", separate_->describe());
  std::fflush(stdout);
  return Arguments::marshal(separate_->values(), parameters(),
                            reinterpret_cast<std::byte*>(separate_->base()));
}

KernelResources CudaSession::resources() const {
  using enum cuda::FunctionAttribute;
  const auto of_function = [this](cuda::FunctionAttribute which) {
    return function_attribute(*driver_, which, function_);
  };
  const auto threads = static_cast<int>(plan_.block.count());
  KernelResources resources{.registers_per_thread = of_function(registers),
                            .local_bytes_per_thread = of_function(local_size_bytes),
                            .static_shared_bytes = of_function(shared_size_bytes),
                            .dynamic_shared_bytes = static_cast<int>(plan_.shared_mem_bytes),
                            .constant_bytes = of_function(const_size_bytes),
                            .max_threads_per_block = of_function(max_threads_per_block)};
  int blocks = 0;
  const Status status =
      driver_->max_active_blocks(&blocks, function_, threads, plan_.shared_mem_bytes);
  const int warp = device_attribute(*driver_, cuda::DeviceAttribute::warp_size);
  const int room =
      device_attribute(*driver_, cuda::DeviceAttribute::max_threads_per_multiprocessor);
  if (status != cuda::kSuccess || warp <= 0 || room < warp) return resources;
  resources.blocks_per_multiprocessor = blocks;
  const int warps = (threads + warp - 1) / warp;
  const int most_warps = room / warp;
  resources.occupancy = static_cast<double>(blocks) * warps / most_warps;
  return resources;
}

std::optional<Refused> CudaSession::allow_shared_memory(std::uint32_t bytes) {
  using enum cuda::FunctionAttribute;
  const int fixed = function_attribute(*driver_, shared_size_bytes, function_);
  const int most =
      device_attribute(*driver_, cuda::DeviceAttribute::max_shared_memory_per_block_optin);
  const auto wanted = static_cast<std::int64_t>(bytes) + fixed;
  if (wanted > most) {
    return Refused{
        .verdict = Crashed{.reason = fmt::format(
                               "a block would need {} bytes of shared memory; this device has {}",
                               wanted, most)},
        .findings = {}};
  }
  if (wanted <= kPlainSharedBytes) return std::nullopt;
  const Status status = driver_->function_set_attribute(function_, max_dynamic_shared_size_bytes,
                                                        static_cast<int>(bytes));
  if (status != cuda::kSuccess) return refusal(status);
  return std::nullopt;
}

RunnerReply CudaSession::operator()(const RunCommand&) {
  Status status = separate_ && arena_ ? separate_->fill(arena_->address()) : cuda::kSuccess;
  if (status == cuda::kSuccess) status = launch_and_wait();
  if (status != cuda::kSuccess) return refusal(status);
  return Done{};
}

RunnerReply CudaSession::operator()(const WarmCommand& command) {
  Status status = cuda::kSuccess;
  for (int i = 0; i < command.calls && status == cuda::kSuccess; ++i) {
    status = set_scene();
    if (status == cuda::kSuccess) status = launch_and_wait();
  }
  if (status != cuda::kSuccess) return refusal(status);
  return Done{};
}

RunnerReply CudaSession::operator()(const TimeCommand& command) {
  Samples samples;
  for (int i = 0; i < command.samples; ++i) {
    double nanoseconds = 0;
    const Status status = time_once(nanoseconds);
    if (status != cuda::kSuccess) return refusal(status);
    samples.ns.push_back(nanoseconds);
  }
  return samples;
}

Result<void> CudaSession::arm(const ArmCommand& command) {
  std::vector<UniqueFd>& files = *descriptors_;
  const bool has_vault = command.vault_size > 0;
  if (!arena_ || files.size() != (has_vault ? 5U : 4U)) {
    return fail(ErrorCode::invalid_argument, "the clock is not complete");
  }
  ASSAY_TRY(gate::SharedPage page, gate::SharedPage::map(std::move(files[0])));
  ASSAY_TRY(gate_image_,
            read_file(fmt::format("/proc/self/fd/{}", files[1].get()), kLargestModule));
  std::vector<device::CudaMapping> memory;
  const std::array sizes{command.ledger_size, command.sweep_size, command.vault_size};
  for (std::size_t i = 0; i < (has_vault ? 3U : 2U); ++i) {
    ASSAY_TRY(auto mapping, device::CudaMapping::import(*driver_, files[i + 2], sizes[i]));
    memory.push_back(std::move(mapping));
  }
  page_ = std::move(page);
  gate_memory_ = std::move(memory);
  ASSAY_TRY(auto stage,
            gate::Stage::open(*driver_, gate_image_, **page_,
                              {.ledger = gate_memory_[0].address(),
                               .sweep = gate_memory_[1].address(),
                               .sweep_bytes = command.sweeps ? command.sweep_size : 0}));
  stage_ = std::move(stage);
  std::vector<gate::VariedInput> inputs;
  for (const ArmedInput& input : command.inputs) {
    inputs.push_back(gate::varied_input(input, gate_memory_.back().address(), arena_->address()));
  }
  std::vector<gate::BlankOutput> blanks;
  for (const ArenaPoison& blank : command.blanks) {
    blanks.push_back({.to = arena_->address() + blank.offset, .size = blank.size});
  }
  stage_->set_inputs(std::move(inputs), std::move(blanks));
  outputs_.clear();
  for (const ArmedOutput& output : command.outputs) {
    outputs_.push_back({.data = arena_->address() + output.offset,
                        .count = output.size / output.element_size,
                        .element_size = static_cast<std::uint32_t>(output.element_size),
                        .layout = {}});
  }
  graph_.reset();
  if (command.graph) {
    ASSAY_TRY(graph_, CallGraph::capture(*driver_, stream_, [this] { return launch(); }));
  }
  return {};
}

RunnerReply CudaSession::operator()(const ArmCommand& command) {
  if (auto armed = arm(command); !armed) {
    return refused(Unsupported{std::move(armed).error().message()});
  }
  return Done{};
}

/// What the kernel answers is what its contract marks as outputs.
gate::TimedCall CudaSession::timed_call() {
  return [this](std::uint32_t, std::vector<gate::OutputPart>& outputs) {
    const Status status = graph_ ? graph_->launch(stream_) : launch();
    outputs = outputs_;
    return status;
  };
}

RunnerReply CudaSession::operator()(const RoundCommand& command) {
  if (!stage_) return refused(Unsupported{"the clock was not set up"});
  gate::RoundClaims claims;
  const Status status = gate::run_round(*stage_, plan_of(command), stream_, timed_call(), claims);
  if (status != cuda::kSuccess) return refusal(status);
  return Rounded{.event_ns = std::move(claims.event_ns),
                 .event_overhead_ns = claims.event_overhead_ns,
                 .queue_ns = std::move(claims.queue_ns),
                 .launch_ns = claims.launch_ns};
}

RunnerReply CudaSession::operator()(const HostTimeCommand& command) {
  Samples samples;
  const Status status =
      gate::time_on_host(*driver_, command.calls, stream_, timed_call(), samples.ns);
  if (status != cuda::kSuccess) return refusal(status);
  return samples;
}

RunnerReply CudaSession::operator()(const TraceCommand& command) {
  if (!stage_) return refused(Unsupported{"the clock was not set up"});
  auto time = gate::trace_round(*stage_, plan_of(command.round), stream_, timed_call());
  if (!time) return Traced{.time = {}, .missing = time.error().message()};
  return Traced{.time = *std::move(time), .missing = {}};
}

RunnerReply CudaSession::operator()(const ProfileCommand& command) {
  if (!nvtx_) nvtx_ = Nvtx::attach();
  if (!nvtx_) return refused(Unsupported{"no profiler took the runner's NVTX ranges"});
  Status status = set_scene();
  if (status == cuda::kSuccess) status = driver_->stream_synchronize(stream_);
  if (status == cuda::kSuccess) {
    const Nvtx::Range range(*nvtx_, command.range);
    status = launch_and_wait();
  }
  if (status != cuda::kSuccess) return refusal(status);
  return Done{};
}

RunnerReply CudaSession::operator()(const CountCommand& command) {
  auto cache = CleanCache::open(*driver_);
  if (!cache)
    return Counted{.chip = {}, .passes = 0, .values = {}, .missing = cache.error().message()};
  const auto prepare = [&] {
    Status status = set_scene();
    if (status == cuda::kSuccess) status = cache->clean(stream_);
    return status == cuda::kSuccess ? driver_->stream_synchronize(stream_) : status;
  };
  Counted counted = count_call(*driver_, command,
                               {.prepare = prepare, .make = [this] { return launch_and_wait(); }});
  if (counted.missing.empty()) {
    std::ranges::copy(launch_facts(*driver_, plan_, resources()),
                      std::back_inserter(counted.values));
  }
  return counted;
}

Status CudaSession::set_scene() {
  if (!arena_) return cuda::kInvalidValue;
  const cuda::DevicePointer base = arena_->address();
  for (const ArenaCopy& copy : plan_.restores) {
    const Status status =
        driver_->copy_on_device(base + copy.to, base + copy.from, copy.size, stream_);
    if (status != cuda::kSuccess) return status;
  }
  for (const ArenaPoison& poison : plan_.poisons) {
    const Status status = driver_->set_bytes(base + poison.offset, kPoison, poison.size, stream_);
    if (status != cuda::kSuccess) return status;
  }
  // Twice the cache, so that nothing of the kernel's data is left in it. It also takes longer than
  // queueing what follows: the GPU never waits between the events for us.
  return driver_->set_words(flush_, 0, flush_words_, stream_);
}

Status CudaSession::time_once(double& nanoseconds) {
  Status status = set_scene();
  if (status == cuda::kSuccess) status = driver_->event_record(begin_, stream_);
  if (status == cuda::kSuccess) status = launch();
  if (status == cuda::kSuccess) status = driver_->event_record(end_, stream_);
  if (status == cuda::kSuccess) status = driver_->stream_synchronize(stream_);
  float milliseconds = 0;
  if (status == cuda::kSuccess) status = driver_->event_elapsed(&milliseconds, begin_, end_);
  nanoseconds = static_cast<double>(milliseconds) * 1e6;
  return status;
}

Status CudaSession::launch() {
  if (!arguments_) return cuda::kInvalidValue;
  std::vector<cuda::LaunchAttribute> attributes;
  if (plan_.cooperative) {
    attributes.push_back({.id = cuda::LaunchAttributeId::cooperative, .value = {1}});
  }
  if (plan_.cluster) {
    attributes.push_back({.id = cuda::LaunchAttributeId::cluster_dimension,
                          .value = {plan_.cluster->x, plan_.cluster->y, plan_.cluster->z}});
  }
  const cuda::LaunchConfiguration configuration{
      .grid = {plan_.grid.x, plan_.grid.y, plan_.grid.z},
      .block = {plan_.block.x, plan_.block.y, plan_.block.z},
      .shared_bytes = plan_.shared_mem_bytes,
      .stream = stream_,
      .attributes = attributes.data(),
      .attribute_count = static_cast<std::uint32_t>(attributes.size())};
  return driver_->launch(&configuration, function_, arguments_->pointers(), nullptr);
}

Status CudaSession::launch_and_wait() {
  const Status status = launch();
  return status == cuda::kSuccess ? driver_->stream_synchronize(stream_) : status;
}

Refused CudaSession::refusal(Status status) const {
  const std::string error = describe(*driver_, status);
  if (status == cuda::kOutOfMemory) return {.verdict = OutOfMemory{error}, .findings = {}};
  std::string reason = error;
  using enum cuda::FunctionAttribute;
  switch (status) {
    case cuda::kInvalidValue:
    case cuda::kInvalidClusterSize:
      reason = fmt::format("this device cannot launch a grid of {}x{}x{} blocks of {}x{}x{} ({})",
                           plan_.grid.x, plan_.grid.y, plan_.grid.z, plan_.block.x, plan_.block.y,
                           plan_.block.z, error);
      break;
    case cuda::kLaunchOutOfResources:
      reason = fmt::format("a block of {} threads with {} registers each does not fit ({})",
                           plan_.block.count(), function_attribute(*driver_, registers, function_),
                           error);
      break;
    case cuda::kCooperativeLaunchTooLarge:
      reason =
          fmt::format("{} blocks cannot all be resident at once ({})", plan_.grid.count(), error);
      break;
    default:
      break;
  }
  return {.verdict = Crashed{.reason = std::move(reason)}, .findings = {}};
}

}  // namespace assay::runner
