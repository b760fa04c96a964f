#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <device_code/scene.hpp>

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "gate/page.hpp"
#include "model/runner_protocol.hpp"

namespace assay::gate {

/// An input that has other contents in every call.
struct VariedInput {
  device::cuda::DevicePointer to = 0;
  device::cuda::DevicePointer from = 0;
  std::uint64_t count = 0;  // of elements; of bytes where they are only copied
  scene::Variation how = scene::Variation::copied;
  scene::Strength strength = scene::Strength::strong;
};

/// The input as the runner is told of it, with the addresses of the vault and the arena here.
[[nodiscard]] VariedInput varied_input(const ArmedInput& input, device::cuda::DevicePointer vault,
                                       device::cuda::DevicePointer arena);

/// An output that is blank before every call.
struct BlankOutput {
  device::cuda::DevicePointer to = 0;
  std::uint64_t size = 0;
};

/// As the kernels take it; device_code/scene.cu says what each member means.
struct OutputLayout {
  std::uint32_t dimensions = 0;
  std::array<std::uint64_t, 8> sizes{};
  std::array<std::uint64_t, 8> in_memory{};
  std::array<std::uint64_t, 8> by_index{};
};

/// A tensor that a call answered with.
struct OutputPart {
  device::cuda::DevicePointer data = 0;
  std::uint64_t count = 0;
  std::uint32_t element_size = 0;
  OutputLayout layout;
};

/// Memory that the worker shares with the runner.
struct StageMemory {
  device::cuda::DevicePointer ledger = 0;  // a scene::Ledger
  device::cuda::DevicePointer sweep = 0;   // as many bytes as the cache holds
  std::uint64_t sweep_bytes = 0;
};

/// Queues on a stream what stands around a timed call. A round is: wait for the gate, begin; for
/// each call: before, the call, after; end. There is one definition for all kernels. The runner
/// that is timed uses it, and so does the worker when it measures what the scene itself costs.
class Stage {
 public:
  /// `driver` and `page` outlive this; the calling thread has a context. `image` is the module made
  /// of device_code/.
  [[nodiscard]] static Result<Stage> open(const device::CudaDriver& driver, std::string_view image,
                                          Page& page, const StageMemory& memory);

  void set_inputs(std::vector<VariedInput> inputs, std::vector<BlankOutput> blanks,
                  bool sweeps = true);

  /// Whether nothing is to be left in the cache before a call.
  [[nodiscard]] bool sweeps() const { return sweeps_ && memory_.sweep_bytes > 0; }

  using Stream = device::cuda::Stream;
  using Status = device::cuda::Status;
  [[nodiscard]] Status wait_for_gate(std::uint32_t round, Stream stream) const;
  [[nodiscard]] Status begin(Stream stream) const;
  [[nodiscard]] Status before(std::uint32_t call, Stream stream) const;
  [[nodiscard]] Status after(std::uint32_t call, std::span<const OutputPart> outputs,
                             Stream stream) const;
  [[nodiscard]] Status end(std::uint32_t calls, std::uint32_t round, Stream stream) const;

  /// A launch that does nothing.
  [[nodiscard]] Status launch_nothing(Stream stream) const;

  /// A part of `before`, for those who want to know what the sums must be.
  [[nodiscard]] Status sweep(std::uint32_t call, Stream stream) const;
  /// Where the kernels keep their sums.
  [[nodiscard]] device::cuda::DevicePointer ledger() const { return ledger_; }

  /// Fills memory with secret bytes. Whoever wants to know them must read them.
  [[nodiscard]] Status fill(device::cuda::DevicePointer to, std::uint64_t bytes,
                            std::uint64_t secret, Stream stream) const;

  [[nodiscard]] const device::CudaDriver& driver() const { return *driver_; }
  [[nodiscard]] Page& page() const { return *page_; }

 private:
  Stage(const device::CudaDriver& driver, Page& page, const StageMemory& memory)
      : driver_(&driver), page_(&page), memory_(memory) {}

  /// Enough threads for `count` elements, but no more blocks than are resident at once.
  [[nodiscard]] unsigned blocks_for(std::uint64_t count) const;
  [[nodiscard]] Status launch(device::cuda::Function function, unsigned blocks, unsigned threads,
                              std::span<void* const> arguments, Stream stream) const;
  [[nodiscard]] Status vary(std::uint32_t call, bool late, Stream stream) const;

  const device::CudaDriver* driver_;
  Page* page_;
  StageMemory memory_;
  device::cuda::DevicePointer device_page_ = 0;
  device::cuda::DevicePointer ledger_ = 0;   // ours; atomics in another process's memory are slow
  device::cuda::DevicePointer scratch_ = 0;  // two sweeps' worth; both end with the process
  unsigned most_blocks_ = 0;
  device::cuda::Function begin_ = nullptr;
  device::cuda::Function blank_ = nullptr;
  device::cuda::Function vary_ = nullptr;
  device::cuda::Function sweep_ = nullptr;
  device::cuda::Function fingerprint_ = nullptr;
  device::cuda::Function seal_ = nullptr;
  device::cuda::Function fill_ = nullptr;
  device::cuda::Function nothing_ = nullptr;
  std::vector<VariedInput> inputs_;
  std::vector<BlankOutput> blanks_;
  bool sweeps_ = true;
};

}  // namespace assay::gate
