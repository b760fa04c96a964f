#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <variant>
#include <vector>

#include <assay/simt_abi.h>

#include "base/result.hpp"
#include "model/io_contract.hpp"
#include "model/runner_protocol.hpp"

namespace assay::runner {

/// The values of a kernel's parameters, in the parameters' own types, as a launch takes them.
class Arguments {
 public:
  /// Fails if the contract does not fit the kernel, and says which argument and why. Examples are a
  /// count that differs, a tensor for an int, 2.5 for an int, and 300 for a char.
  [[nodiscard]] static Result<Arguments> marshal(
      std::span<const std::variant<ArenaPart, ScalarArg>> values,
      std::span<const assay_simt_param> params, std::byte* arena);

  [[nodiscard]] void** pointers() { return pointers_.data(); }

 private:
  std::deque<std::vector<std::byte>> storage_;  // a deque: elements never move
  std::vector<void*> pointers_;
};

}  // namespace assay::runner
