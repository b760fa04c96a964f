#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/io_contract.hpp"

namespace assay::tensor {

/// The seed a tensor really gets in one round: secret, so that a submission cannot know its
/// inputs, yet equal wherever the declared seed is equal.
[[nodiscard]] std::uint64_t seed_for(std::uint64_t secret, int round, std::int64_t declared);
/// The same for the `ordinal`-th random tensor of a contract that declares no seed.
[[nodiscard]] std::uint64_t seed_for_unseeded(std::uint64_t secret, int round, std::size_t ordinal);

/// One seed per argument of the contract (0 for those that draw nothing).
[[nodiscard]] std::vector<std::uint64_t> seeds_of(const IoContract& contract, std::uint64_t secret,
                                                  int round);

/// Fills a tensor. What is Unspecified is left as it is. The bytes depend on dtype, content and
/// seed alone. docs/io-contract.md gives the meaning of each kind.
void generate(const TensorArg& tensor, std::uint64_t seed, std::span<std::byte> into);

}  // namespace assay::tensor
