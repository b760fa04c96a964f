#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"

namespace assay::trace {

enum class PassKind : std::uint8_t { forward, backward, optimizer };

/// The runs of a model's forward or backward pass, or of the optimizer's step.
struct Passes {
  std::string name;                     // of the ranges matched, for people
  std::vector<std::uint32_t> measured;  // rows of Trace::ranges, none inside another
  std::vector<std::uint32_t> warm_up;
  std::string left_out;              // what was left out as warm-up, as a sentence; empty: nothing
  bool warm_up_by_gpu = false;       // warm_up was slow on the GPU, and not on the host
  std::string set_aside;             // what else was left out, as sentences: cut off, recomputed
  std::vector<std::uint8_t> chosen;  // a byte per range: nonzero for `measured`
  bool only_warm_up = false;         // all there are say warm-up: then those are `measured`
  [[nodiscard]] std::size_t count() const { return measured.size(); }
};

/// Finds the runs of a pass. With `asked`, they are the ranges it names. Without it, they are the
/// author's ranges whose whole name says that they are the pass: "forward", "Forward pass 3". Of
/// several such names it takes one that is not part of another, because layers may each say forward
/// inside a forward pass.
///
/// If there are none, it takes the only name that begins or ends with the word, or else what
/// DistributedDataParallel calls its forward. That name does not count if it is a stage (other
/// ranges beside it do as much, as often) or a part (another range holds several of it). Fails with
/// `not_found`, and names the ranges that were looked at.
[[nodiscard]] Result<Passes> find_passes(Analysis& analysis, PassKind kind,
                                         std::string_view asked = {});

/// A sentence if a loop of the program holds several of the passes each time; otherwise empty. Such
/// passes may be parts of the model, though their name says that they are the pass.
[[nodiscard]] std::string held_in_loop(Analysis& analysis, const Passes& passes);

/// Ranges in which an optimizer steps: the author's that say optimizer, and those that PyTorch
/// makes itself.
struct OptimizerSteps {
  std::string name;                 // of the first; empty: there are none
  std::vector<std::uint32_t> rows;  // of Trace::ranges, in order
};
[[nodiscard]] OptimizerSteps find_optimizer_steps(const Trace& trace);

/// Those of them that lie in no other, if they tell how long the optimizer takes. Fails with
/// `not_found` if there are none, if they have several names, or if they hold the backward pass.
[[nodiscard]] Result<OptimizerSteps> steps_of_one_optimizer(const Trace& trace);

}  // namespace assay::trace
