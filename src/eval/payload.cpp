#include "eval/payload.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "eval/buffers.hpp"
#include "eval/input_set.hpp"
#include "model/io_contract.hpp"
#include "model/tree.hpp"

namespace assay::eval {

Payload payload_of(const IoContract& contract, InputSet& inputs, std::uint64_t secret, int round) {
  const auto contents = contents_of(contract, inputs, secret, round);
  Payload payload;
  SequenceNode args;
  std::size_t next = 0;
  for (const Argument& argument : contract.args) {
    if (const auto* scalar = std::get_if<ScalarArg>(&argument.value)) {
      args.items.push_back(std::visit([](const auto& value) { return Tree{value}; }, *scalar));
      continue;
    }
    const auto& tensor = std::get<TensorArg>(argument.value);
    const auto content = contents[next++];
    if (tensor.role == Role::output) continue;
    args.items.push_back({TensorLeaf{.shape = tensor.shape, .dtype = tensor.dtype}});
    if (content.empty()) {  // what nobody specified is zero
      payload.tensors.emplace_back(payload.own.emplace_back(tensor.byte_size()));
    } else {
      payload.tensors.push_back(content);
    }
  }
  payload.tree.value = std::move(args);
  return payload;
}

}  // namespace assay::eval
