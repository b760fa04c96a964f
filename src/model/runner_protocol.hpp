#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/finding.hpp"
#include "model/io_contract.hpp"
#include "model/kernel_resources.hpp"
#include "model/request.hpp"
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

/// A part to fill with what no answer can be.
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
using RunnerCommand = std::variant<LoadCommand, BindCommand, RunCommand, TimeCommand>;

/// What a runner answers is a claim. It can only speak against itself: no reply says that a
/// kernel is right.
struct Done {};
/// Answers a BindCommand.
struct Bound {
  std::optional<KernelResources> resources;  // on a GPU
};
struct Samples {
  std::vector<double> ns;
};
struct Refused {
  Verdict verdict;  // never `accepted`
  std::vector<Finding> findings;
};
using RunnerReply = std::variant<Done, Bound, Samples, Refused>;

}  // namespace assay
