#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/names.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/tree.hpp"

namespace assay {

/// What goes through arenas between the worker and a Python runner.
/// `kept` are the buffers of a model that its calls have changed since it got its state.
enum class Parcel : std::uint8_t { init_inputs, inputs, state, outputs, precise, kept };

inline constexpr NameTable<Parcel, 6> kParcelNames = {{
    {Parcel::init_inputs, "init_inputs"},
    {Parcel::inputs, "inputs"},
    {Parcel::state, "state"},
    {Parcel::outputs, "outputs"},
    {Parcel::precise, "precise"},
    {Parcel::kept, "kept"},
}};

constexpr std::string_view to_string(Parcel parcel) {
  return name_in(kParcelNames, parcel);
}

/// Which weights of new models become other numbers than ones and zeros.
enum class VaryWeights : std::uint8_t { none, norms, all };

inline constexpr NameTable<VaryWeights, 3> kVaryWeightsNames = {{
    {VaryWeights::none, "none"},
    {VaryWeights::norms, "norms"},
    {VaryWeights::all, "all"},
}};

constexpr std::string_view to_string(VaryWeights vary) {
  return name_in(kVaryWeightsNames, vary);
}

/// Whose memory an arena's descriptor stands for.
enum class MemoryKind : std::uint8_t { host, cuda };

/// Runs the source as a module.
struct PythonLoad {
  const Kernel* kernel = nullptr;  // outlives the command
  bool is_reference = false;
  std::uint64_t seed = 0;  // of the weights: the same for both kernels
  DeviceKind device = DeviceKind::cpu;
  /// How many containers of built extensions come as descriptors with the frame. If they need a
  /// library, its descriptor follows.
  std::size_t extensions = 0;
  bool with_support = false;
  /// The last descriptor is what an earlier runner of the same source packed.
  bool with_compiled = false;
  /// How kernels that it launches itself run on the `cpu` device.
  Sanitize sanitize{};
  std::uint64_t schedule_seed = 0;
};
/// Has the kernel's own get_init_inputs, get_inputs or state_dict give a value.
struct ProduceCommand {
  Parcel parcel = Parcel::inputs;
  std::uint64_t seed = 0;
};
/// Copies the tensors of the value that was produced last into the arena. The arena's descriptor
/// comes with the frame.
struct CollectCommand {
  Parcel parcel = Parcel::outputs;
  std::vector<std::size_t> offsets;
  std::size_t arena_size = 0;
  MemoryKind memory = MemoryKind::host;
};
/// Hands over a value whose tensors lie in the arena. The arena's descriptor comes with the frame.
struct GiveCommand {
  Parcel parcel = Parcel::inputs;
  Tree value;
  std::size_t arena_size = 0;
  MemoryKind memory = MemoryKind::host;
  std::vector<ArenaCopy> restores;               // done before every timed run, outside the time
  VaryWeights vary_weights = VaryWeights::none;  // of init_inputs
};
/// Runs a copy of the kernel in float64 over the arguments as they are. Gives a sequence of two:
/// the name of the lowest precision that the kernel asked for itself, and its answer.
struct PreciseRunCommand {
  bool of_last_run = false;  // with what the kernel kept before its last run, not after it
};
/// Runs a copy of the kernel as it is over the arguments as they are. Gives its answer, as the
/// parcel `precise`.
struct CopyRunCommand {
  bool of_last_run = false;
};
struct OutputsCommand {};
/// Runs the source without a device, to learn what it passes to load_inline.
struct DiscoverCommand {
  const Kernel* kernel = nullptr;  // outlives the command
};
/// Writes what Triton compiled into memory, as one file. The memory's descriptor comes with the
/// frame.
struct PackCommand {};
using PythonCommand =
    std::variant<PythonLoad, ProduceCommand, CollectCommand, GiveCommand, RunCommand,
                 PreciseRunCommand, CopyRunCommand, WarmCommand, TimeCommand, OutputsCommand,
                 DiscoverCommand, PackCommand, ArmCommand, RoundCommand, HostTimeCommand,
                 TraceCommand, ProfileCommand>;

struct Loaded {
  bool has_inputs = false;
  bool has_init_inputs = false;
  bool takes_state = false;  // it is a module with parameters of its own
};
/// The names of a reference's weights that were varied.
struct VariedWeights {
  std::vector<std::string> of_norms;  // while they were made
  std::vector<std::string> made;      // others too, while they were made
  std::vector<std::string> others;    // after their model was made

  [[nodiscard]] bool empty() const { return of_norms.empty() && made.empty() && others.empty(); }
};
struct Produced {
  Tree value;
  bool tf32 = false;       // of a reference's run: torch may compute its float32 in TF32
  bool on_device = false;  // of inputs: made there, not on the host
  VariedWeights varied{};  // of a state
};
/// The state was taken over, except for these parameters.
struct Stated {
  std::vector<std::string> unmatched;
  std::vector<std::string> late{};  // those that held other numbers when the model had been made
};
struct Discovered {
  std::vector<ExtensionCall> calls;
};
/// Zero if there is nothing new to pack, or more than fits.
struct Packed {
  std::uint64_t bytes = 0;
};
using PythonReply = std::variant<Done, Samples, Refused, Loaded, Produced, Stated, Discovered,
                                 ExtensionsNeeded, Packed, Rounded, Traced>;

}  // namespace assay
