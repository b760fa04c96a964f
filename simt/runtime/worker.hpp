#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "block.hpp"
#include "fiber.hpp"
#include "launch.hpp"

namespace assay::simt {

/// Runs blocks on the OS thread that calls it, with stacks and blocks it keeps between launches.
class Worker {
 public:
  /// Takes blocks of `launch` until none is left. `after_block` is called between blocks.
  template <class AfterBlock>
  void run(Launch& launch, std::uint64_t chunk, AfterBlock after_block) {
    std::uint64_t first = 0;
    while (const std::uint64_t count = launch.claim(chunk, first)) {
      for (std::uint64_t i = 0; i < count && !launch.failed(); ++i) {
        run_block(launch, first + i);
        after_block();
      }
    }
    finish_parked(launch);
    report_overrun(launch);
    spare_.clear_prepared();
  }

 private:
  /// Blocks that are free to use; those before `prepared` know the current launch.
  struct Spare {
    std::vector<std::unique_ptr<Block>> blocks;
    std::vector<std::unique_ptr<Block>> prepared;
    void clear_prepared() {
      for (auto& block : prepared) blocks.push_back(std::move(block));
      prepared.clear();
    }
  };

  void run_block(Launch& launch, std::uint64_t position);
  void advance(Launch& launch, std::unique_ptr<Block> block);
  void finish_parked(Launch& launch);
  bool resume_parked(Launch& launch);
  /// Once a launch, not once a block: a block may take less time than looking does.
  void report_overrun(Launch& launch);
  [[nodiscard]] std::unique_ptr<Block> take_block(Launch& launch);

  FiberPool fibers_;
  Spare spare_;
  struct Parked {
    std::unique_ptr<Block> block;
    Block::State state;
  };
  std::vector<Parked> parked_;
};

}  // namespace assay::simt
