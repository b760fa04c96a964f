#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eval/input_set.hpp"
#include "eval/runner.hpp"
#include "model/io_contract.hpp"
#include "model/tree.hpp"

namespace assay::eval {

/// A value of a Python kernel with its tensors' elements, as we hold it between two runners.
struct Payload {
  Tree tree;
  std::vector<std::vector<std::byte>> tensors;  // of the tree's tensors, in order
};

/// What a kernel without a contract of its own is called with where the other has one: every
/// argument but the tensors that only take answers.
[[nodiscard]] Payload payload_of(const IoContract& contract, InputSet& inputs, std::uint64_t secret,
                                 int round);

}  // namespace assay::eval
