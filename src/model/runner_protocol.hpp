#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/counter_value.hpp"
#include "model/finding.hpp"
#include "model/io_contract.hpp"
#include "model/kernel_resources.hpp"
#include "model/names.hpp"
#include "model/request.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"

namespace assay {

/// A tensor argument: a part of the arena.
struct ArenaPart {
  std::string name;
  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t element_size = 1;
  bool initialised = true;  // false: its content is poison until the kernel writes it
};

/// A part to fill with poison: bytes that no answer can be.
struct ArenaPoison {
  std::size_t offset = 0;
  std::size_t size = 0;
};

struct ArenaCopy {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t size = 0;
};

/// What to launch, on what. The runner gives scalars the types of the kernel's own parameters.
struct LaunchPlan {
  Dim3 grid;
  Dim3 block;
  std::uint32_t shared_mem_bytes = 0;
  bool cooperative = false;
  std::optional<Dim3> cluster{};
  std::vector<std::variant<ArenaPart, ScalarArg>> args;
  std::vector<ArenaCopy> restores;     // done before every timed run, outside the time
  std::vector<ArenaPoison> poisons{};  // the same; only where we do not do it between batches
  Sanitize sanitize;
  std::uint64_t schedule_seed = 0;  // 0: natural order
};

/// The module to load comes as descriptors with the frame: on the `cpu` device first its support
/// library, then itself.
struct LoadCommand {
  std::string entry;
};
/// The arena comes as a descriptor with the frame.
struct BindCommand {
  LaunchPlan plan;
  std::size_t arena_size = 0;
};
struct RunCommand {};
struct TimeCommand {
  int samples = 1;
};
/// Calls ahead of timed ones, over the inputs that are there already. Nobody reads their answers.
struct WarmCommand {
  int calls = 1;
};

/// How an input's elements differ from one timed call to the next (device_code/scene.hpp).
enum class InputVariation : std::uint8_t { copied, float32, float64, float16, bfloat16 };

inline constexpr NameTable<InputVariation, 5> kInputVariationNames = {{
    {InputVariation::copied, "copied"},
    {InputVariation::float32, "float32"},
    {InputVariation::float64, "float64"},
    {InputVariation::float16, "float16"},
    {InputVariation::bfloat16, "bfloat16"},
}};

constexpr std::string_view to_string(InputVariation how) {
  return name_in(kInputVariationNames, how);
}

/// The size of one element, in bytes.
constexpr std::size_t element_size_of(InputVariation how) {
  switch (how) {
    case InputVariation::float64:
      return 8;
    case InputVariation::float32:
      return 4;
    case InputVariation::float16:
    case InputVariation::bfloat16:
      return 2;
    case InputVariation::copied:
      break;
  }
  return 1;
}

/// An input that is written anew before every timed call.
struct ArmedInput {
  std::size_t from = 0;  // in the vault
  std::size_t to = 0;    // in the arena
  std::size_t size = 0;
  InputVariation how = InputVariation::copied;
  bool gentle = false;  // only its last bits differ
};

/// A part of the arena that holds an answer after a call that returns none.
struct ArmedOutput {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t element_size = 1;
};

/// Prepares for rounds on a GPU. These descriptors come with the frame: the gate's page, the module
/// of device_code, the ledger, the sweep buffer and the vault. The vault is absent if its size is
/// 0.
struct ArmCommand {
  std::size_t image_size = 0;
  std::size_t ledger_size = 0;
  std::size_t sweep_size = 0;
  std::size_t vault_size = 0;
  bool sweeps = true;  // false: the cache is left as it is before a call
  bool graph = false;  // the call is captured now, and every timed call launches its graph
  std::vector<ArmedInput> inputs;
  std::vector<ArenaPoison> blanks;
  std::vector<ArmedOutput> outputs;
};
/// Timed calls behind the gate, which the worker opens (src/gate/page.hpp).
struct RoundCommand {
  std::uint32_t number = 0;
  std::uint32_t calls = 1;
  bool held = true;     // all is queued before the GPU may begin
  bool events = false;  // the runner's own clock too
};
/// Calls with nothing queued before them, by the host's clock.
struct HostTimeCommand {
  std::uint32_t calls = 1;
};
/// A round whose kernels are known from the GPU's own records. It slows down every later call of
/// the process, so it comes last.
struct TraceCommand {
  RoundCommand round;
};
/// One call for a profiler: inside a range of this name, and alone in it.
struct ProfileCommand {
  std::string range;
};
/// Calls whose counters the runner itself reads. They slow down every later call of the process, so
/// this comes last.
struct CountCommand {
  std::string cupti;  // the library; empty: what the linker finds
  std::vector<std::string> metrics;
};
using RunnerCommand =
    std::variant<LoadCommand, BindCommand, RunCommand, WarmCommand, TimeCommand, ArmCommand,
                 RoundCommand, HostTimeCommand, TraceCommand, ProfileCommand, CountCommand>;

/// What a runner answers is a claim. It can only speak against itself: no reply says that a
/// kernel is right.
struct Done {};
/// Answers a BindCommand.
struct Bound {
  std::optional<KernelResources> resources;  // on a GPU
};
struct Samples {
  std::vector<double> ns;
  /// Of the last run's answer, if it lies in the runner: its sum, as sum_of_elements of
  /// eval/answer.hpp gives it.
  std::optional<std::uint64_t> fingerprint{};
};
struct Refused {
  Verdict verdict;  // never `accepted`
  std::vector<Finding> findings;
};
/// A round is through: the runner's own account of it.
struct Rounded {
  std::vector<double> event_ns;  // of each call, less the events' own time; where asked for
  double event_overhead_ns = 0;  // what was taken off
  std::vector<double> queue_ns;  // what queueing each call took on the host
  double launch_ns = 0;  // what a launch that does nothing took; where events were asked for
};
/// Answers a TraceCommand.
struct Traced {
  KernelTime time;      // of one call
  std::string missing;  // why there is none; empty where there is one
};
/// Answers a CountCommand.
struct Counted {
  std::string chip;
  std::size_t passes = 0;            // the call was made that often
  std::vector<CounterValue> values;  // and what is known of the launch, as Nsight Compute names it
  std::string missing;               // why there are none; empty where there are
};
using RunnerReply = std::variant<Done, Bound, Samples, Refused, Rounded, Traced, Counted>;

}  // namespace assay
