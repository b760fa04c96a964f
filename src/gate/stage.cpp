#include "gate/stage.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <device_code/scene.hpp>

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "gate/page.hpp"
#include "model/runner_protocol.hpp"

namespace assay::gate {
namespace {

using device::CudaDriver;
namespace cuda = device::cuda;

constexpr unsigned kThreads = 256;
constexpr unsigned kSweepThreads = 512;
constexpr unsigned kBlocksPerMultiprocessor = 8;
constexpr unsigned kElementsPerThread = 4;
constexpr unsigned kRegisterMapped = 2;  // CU_MEMHOSTREGISTER_DEVICEMAP
constexpr unsigned kWaitAtLeast = 0;     // CU_STREAM_WAIT_VALUE_GEQ

template <class... Arguments>
std::array<void*, sizeof...(Arguments)> pointers_to(Arguments&... arguments) {
  return {const_cast<void*>(static_cast<const void*>(&arguments))...};
}

}  // namespace

VariedInput varied_input(const ArmedInput& input, cuda::DevicePointer vault,
                         cuda::DevicePointer arena) {
  return {.to = arena + input.to,
          .from = vault + input.from,
          .count = input.size / element_size_of(input.how),
          .how = static_cast<scene::Variation>(input.how),
          .strength = input.gentle ? scene::Strength::gentle : scene::Strength::strong};
}

Result<Stage> Stage::open(const CudaDriver& driver, std::string_view image, Page& page,
                          const StageMemory& memory) {
  Stage stage(driver, page, memory);
  cuda::Module module = nullptr;
  auto done = check(driver, driver.module_load_data(&module, image.data()), "cuModuleLoadData");
  const std::array functions{std::pair("assay_begin", &stage.begin_),
                             std::pair("assay_blank", &stage.blank_),
                             std::pair("assay_vary", &stage.vary_),
                             std::pair("assay_sweep", &stage.sweep_),
                             std::pair("assay_fingerprint", &stage.fingerprint_),
                             std::pair("assay_seal", &stage.seal_),
                             std::pair("assay_fill", &stage.fill_),
                             std::pair("assay_nothing", &stage.nothing_)};
  for (const auto& [name, function] : functions) {
    if (done) done = check(driver, driver.module_get_function(function, module, name), name);
  }
  if (done) {
    done = check(driver, driver.register_host_memory(&page, kPageBytes, kRegisterMapped),
                 "cuMemHostRegister");
  }
  if (done) {
    done = check(driver, driver.device_view(&stage.device_page_, &page, 0),
                 "cuMemHostGetDevicePointer");
  }
  if (done) {
    done = check(driver, driver.allocate(&stage.ledger_, sizeof(scene::Ledger)), "cuMemAlloc");
  }
  if (done && memory.sweep_bytes > 0) {
    done = check(driver, driver.allocate(&stage.scratch_, 2 * memory.sweep_bytes), "cuMemAlloc");
  }
  int multiprocessors = 0;
  driver.device_attribute(&multiprocessors, cuda::DeviceAttribute::multiprocessor_count, 0);
  stage.most_blocks_ =
      static_cast<unsigned>(std::max(multiprocessors, 1)) * kBlocksPerMultiprocessor;
  if (!done) return std::unexpected(std::move(done).error().while_doing("prepare the clock"));
  return stage;
}

void Stage::set_inputs(std::vector<VariedInput> inputs, std::vector<BlankOutput> blanks,
                       bool sweeps) {
  sweeps_ = sweeps;
  inputs_ = std::move(inputs);
  blanks_ = std::move(blanks);
}

unsigned Stage::blocks_for(std::uint64_t count) const {
  const std::uint64_t wanted = count / (kThreads * kElementsPerThread) + 1;
  return static_cast<unsigned>(std::min<std::uint64_t>(wanted, most_blocks_));
}

Stage::Status Stage::launch(cuda::Function function, unsigned blocks, unsigned threads,
                            std::span<void* const> arguments, Stream stream) const {
  const cuda::LaunchConfiguration configuration{
      .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .stream = stream};
  return driver_->launch(&configuration, function, const_cast<void**>(arguments.data()), nullptr);
}

Stage::Status Stage::wait_for_gate(std::uint32_t round, Stream stream) const {
  // Some work first: the GPU takes 0.13 ms to come here from another process, and shall do so
  // before the gate opens.
  if (const Status status = begin(stream); status != cuda::kSuccess) return status;
  return driver_->wait_value(stream, device_page_ + offsetof(Page, go), round, kWaitAtLeast);
}

Stage::Status Stage::begin(Stream stream) const {
  const cuda::DevicePointer key = device_page_ + offsetof(Page, key);
  return launch(begin_, 1, kThreads, pointers_to(ledger_, key), stream);
}

Stage::Status Stage::vary(std::uint32_t call, bool late, Stream stream) const {
  const std::uint32_t is_late = late ? 1 : 0;
  for (const VariedInput& input : inputs_) {
    const Status status = launch(vary_, blocks_for(input.count), kThreads,
                                 pointers_to(ledger_, call, input.to, input.from, input.count,
                                             input.how, input.strength, is_late),
                                 stream);
    if (status != cuda::kSuccess) return status;
  }
  return cuda::kSuccess;
}

Stage::Status Stage::sweep(std::uint32_t call, Stream stream) const {
  if (memory_.sweep_bytes == 0) return cuda::kSuccess;
  const std::array buffers{scratch_, scratch_ + memory_.sweep_bytes};
  const cuda::DevicePointer to = buffers[call % 2];
  const cuda::DevicePointer from = call == 0 ? memory_.sweep : buffers[(call - 1) % 2];
  const std::uint64_t quads = memory_.sweep_bytes / 16;
  return launch(sweep_, most_blocks_ / 4, kSweepThreads,
                pointers_to(ledger_, call, to, from, quads), stream);
}

Stage::Status Stage::before(std::uint32_t call, Stream stream) const {
  for (const BlankOutput& blank : blanks_) {
    const Status status = launch(blank_, blocks_for(blank.size / sizeof(std::uint64_t)), kThreads,
                                 pointers_to(blank.to, blank.size), stream);
    if (status != cuda::kSuccess) return status;
  }
  Status status = vary(call, false, stream);
  if (status == cuda::kSuccess && sweeps_) status = sweep(call, stream);
  if (status == cuda::kSuccess) status = vary(call, true, stream);
  return status;
}

Stage::Status Stage::after(std::uint32_t call, std::span<const OutputPart> outputs,
                           Stream stream) const {
  std::uint64_t place = 0;
  for (const OutputPart& part : outputs) {
    const Status status = launch(
        fingerprint_, blocks_for(part.count), kThreads,
        pointers_to(ledger_, call, part.data, part.count, part.element_size, place, part.layout),
        stream);
    if (status != cuda::kSuccess) return status;
    place += part.count;
  }
  return cuda::kSuccess;
}

Stage::Status Stage::end(std::uint32_t calls, std::uint32_t round, Stream stream) const {
  const cuda::DevicePointer seal = device_page_ + offsetof(Page, seal);
  const cuda::DevicePointer done = device_page_ + offsetof(Page, done);
  return launch(seal_, 1, kThreads, pointers_to(ledger_, memory_.ledger, calls, seal, done, round),
                stream);
}

Stage::Status Stage::launch_nothing(Stream stream) const {
  return launch(nothing_, 1, 32, {}, stream);
}

Stage::Status Stage::fill(cuda::DevicePointer to, std::uint64_t bytes, std::uint64_t secret,
                          Stream stream) const {
  const std::uint64_t count = bytes / sizeof(std::uint64_t);
  return launch(fill_, blocks_for(count), kThreads, pointers_to(to, count, secret), stream);
}

}  // namespace assay::gate
