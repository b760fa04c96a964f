#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "judge/compare.hpp"
#include "model/tree.hpp"
#include "tensor/bytes.hpp"

namespace assay::eval {

/// What a kernel answered: how it is put together, and every number in it.
struct Answer {
  std::string structure;                 // as structure_of gives it
  std::vector<judge::OutputView> views;  // bytes of tensors lie elsewhere
  std::vector<std::size_t> tensors{};    // which views are tensors, as the runner lists them
  std::list<std::array<std::byte, 8>> scalars{};  // the views of scalars look in here
  bool has_elements = true;                       // false: only the form is known
};

/// The answer of a kernel that fills its arguments.
[[nodiscard]] Answer answer_of(std::vector<judge::OutputView> outputs);
/// The answer of a kernel that returns a value. `tensors` are its tensors' elements, in order. They
/// are empty if only the form of the answer is looked at.
[[nodiscard]] Answer answer_of(const Tree& tree,
                               const std::vector<std::span<const std::byte>>& tensors);

/// The sum of all elements, each taken for an integer of its size. It shows whether an answer still
/// is what its runner added up before.
[[nodiscard]] std::uint64_t sum_of_elements(const Tree& tree,
                                            const std::vector<std::span<const std::byte>>& tensors);

/// A copy that no runner can reach.
class KeptAnswer {
 public:
  explicit KeptAnswer(const Answer& answer);
  [[nodiscard]] const Answer& answer() const { return answer_; }

 private:
  std::vector<tensor::Bytes> copies_;
  Answer answer_;
};

}  // namespace assay::eval
