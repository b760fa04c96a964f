#include "runner/launch_facts.hpp"

#include <algorithm>
#include <vector>

#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "model/counter_value.hpp"
#include "model/kernel_resources.hpp"
#include "model/runner_protocol.hpp"

namespace assay::runner {
namespace {

using device::cuda::DeviceAttribute;

constexpr int kRegisterUnit = 256;  // registers are given to a warp in such steps
constexpr int kParts = 4;           // of a multiprocessor, each with its own registers

int rounded_up(int value, int step) {
  return (value + step - 1) / step * step;
}

struct Multiprocessor {
  int count = 0;
  int warp = 0;
  int threads = 0;
  int registers = 0;
  int shared = 0;
  int blocks = 0;
  int reserved_shared = 0;  // of each block, for the system
};

Multiprocessor describe(const device::CudaDriver& driver) {
  const auto read = [&](DeviceAttribute which) {
    int value = 0;
    driver.device_attribute(&value, which, 0);
    return value;
  };
  using enum DeviceAttribute;
  return {.count = read(multiprocessor_count),
          .warp = read(warp_size),
          .threads = read(max_threads_per_multiprocessor),
          .registers = read(max_registers_per_multiprocessor),
          .shared = read(max_shared_memory_per_multiprocessor),
          .blocks = read(max_blocks_per_multiprocessor),
          .reserved_shared = read(reserved_shared_memory_per_block)};
}

/// Blocks that the registers of a multiprocessor are enough for.
int limit_by_registers(const Multiprocessor& sm, int warps, int registers) {
  const int of_warp = rounded_up(registers * sm.warp, kRegisterUnit);
  return of_warp == 0 ? sm.blocks : sm.registers / kParts / of_warp * kParts / warps;
}

}  // namespace

std::vector<CounterValue> launch_facts(const device::CudaDriver& driver, const LaunchPlan& plan,
                                       const KernelResources& resources) {
  const Multiprocessor sm = describe(driver);
  const auto blocks = static_cast<double>(plan.grid.count());
  const auto threads = static_cast<int>(plan.block.count());
  const int shared =
      resources.static_shared_bytes + resources.dynamic_shared_bytes + sm.reserved_shared;
  std::vector<CounterValue> facts{
      {"launch__grid_size", blocks},
      {"launch__block_size", static_cast<double>(threads)},
      {"launch__registers_per_thread", static_cast<double>(resources.registers_per_thread)},
      {"launch__shared_mem_per_block", static_cast<double>(shared)}};
  if (resources.blocks_per_multiprocessor > 0 && sm.count > 0) {
    facts.push_back({"sm__maximum_warps_per_active_cycle_pct", 100 * resources.occupancy});
    facts.push_back({"launch__waves_per_multiprocessor",
                     blocks / (static_cast<double>(sm.count) *
                               static_cast<double>(resources.blocks_per_multiprocessor))});
  }
  if (sm.warp <= 0 || threads <= 0 || sm.blocks <= 0 || sm.registers <= 0) return facts;
  const int warps = rounded_up(threads, sm.warp) / sm.warp;
  const int by_warps = sm.threads / sm.warp / warps;
  const int by_registers = limit_by_registers(sm, warps, resources.registers_per_thread);
  facts.push_back({"launch__occupancy_limit_blocks", static_cast<double>(sm.blocks)});
  facts.push_back({"launch__occupancy_limit_warps", static_cast<double>(by_warps)});
  facts.push_back({"launch__occupancy_limit_registers", static_cast<double>(by_registers)});
  // How much of its memory a multiprocessor shares out is the driver's choice. Where it is the
  // limit, that is all of it.
  const int by_shared = shared > 0 ? sm.shared / shared : sm.blocks;
  if (by_shared <= std::min({sm.blocks, by_warps, by_registers})) {
    facts.push_back({"launch__occupancy_limit_shared_mem", static_cast<double>(by_shared)});
  }
  return facts;
}

}  // namespace assay::runner
