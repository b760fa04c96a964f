#pragma once

#include <cstddef>

#include <device_code/work.hpp>

namespace assay::tensor {

/// Random blocks that are made together, so that a processor's wide registers can be used.
inline constexpr std::size_t kBlocksTogether = 64;

/// Makes the elements of blocks `first` to `end` of a task with random content: those that
/// work::generate_block makes, bit by bit. All of them lie in the array.
void make_random_blocks(const work::GenerateTask& task, std::size_t first, std::size_t end);

/// The same without the registers that some processors lack, for tests.
void make_random_blocks_plainly(const work::GenerateTask& task, std::size_t first, std::size_t end);

}  // namespace assay::tensor
