#include "model/io_contract.hpp"

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace assay {

std::uint64_t tensor_bytes(const IoContract& contract) {
  std::uint64_t bytes = 0;
  for (const Argument& argument : contract.args) {
    if (const auto* tensor = std::get_if<TensorArg>(&argument.value)) bytes += tensor->byte_size();
  }
  return bytes;
}

std::vector<std::size_t> output_positions(const IoContract& contract) {
  std::vector<std::size_t> marked;
  std::vector<std::size_t> tensors;
  for (std::size_t i = 0; i < contract.args.size(); ++i) {
    const auto* tensor = std::get_if<TensorArg>(&contract.args[i].value);
    if (tensor == nullptr) continue;
    tensors.push_back(i);
    if (tensor->role != Role::input) marked.push_back(i);
  }
  return marked.empty() ? tensors : marked;
}

}  // namespace assay
