#include "worker.hpp"

#include <thread>
#include <utility>

#include "error_codes.hpp"

namespace assay::simt {

std::unique_ptr<Block> Worker::take_block(Launch& launch) {
  if (!spare_.prepared.empty()) {
    auto block = std::move(spare_.prepared.back());
    spare_.prepared.pop_back();
    return block;
  }
  std::unique_ptr<Block> block;
  if (spare_.blocks.empty()) {
    block = std::make_unique<Block>(fibers_);
  } else {
    block = std::move(spare_.blocks.back());
    spare_.blocks.pop_back();
  }
  if (block->prepare(launch)) return block;
  assay_simt_finding finding =
      finding_here(ASSAY_SIMT_INVALID_LAUNCH, 0, "no memory for the block's shared memory");
  launch.report(finding, kMemoryAllocation);
  return nullptr;
}

void Worker::report_overrun(Launch& launch) {
  for (const auto& block : spare_.prepared) {
    const auto past = block->written_past_shared();
    if (!past || launch.failed()) continue;
    assay_simt_finding finding = finding_here(
        ASSAY_SIMT_OUT_OF_BOUNDS, 0,
        "a block wrote past its shared memory, %zu bytes behind the end; the launch asked for %llu "
        "bytes of dynamic shared memory (with sanitize memory, thread and line are told)",
        *past, static_cast<unsigned long long>(launch.spec().shared_bytes));
    finding.place = {};  // the threads are gone
    finding.space = ASSAY_SIMT_SPACE_SHARED;
    launch.report(finding, kIllegalAddress);
  }
}

void Worker::run_block(Launch& launch, std::uint64_t position) {
  auto block = take_block(launch);
  if (!block) return;
  block->start(position);
  advance(launch, std::move(block));
  // Blocks that wait for other blocks are resumed as those appear, so that the number parked
  // stays small where the waiting is short.
  if (!parked_.empty()) resume_parked(launch);
}

void Worker::advance(Launch& launch, std::unique_ptr<Block> block) {
  const Block::State state = block->resume();
  if (state == Block::State::at_grid_barrier || state == Block::State::spinning) {
    parked_.push_back({std::move(block), state});
    return;
  }
  if (launch.cooperative()) launch.block_done();
  spare_.prepared.push_back(std::move(block));
}

bool Worker::resume_parked(Launch& launch) {
  bool progress = false;
  auto waiting = std::exchange(parked_, {});
  for (auto& [block, state] : waiting) {
    if (state == Block::State::at_grid_barrier && block->grid_generation() == launch.generation()) {
      parked_.push_back({std::move(block), state});
      continue;
    }
    progress = true;
    advance(launch, std::move(block));
  }
  return progress;
}

void Worker::finish_parked(Launch& launch) {
  while (!parked_.empty() && !launch.failed()) {
    const std::uint32_t seen = launch.generation();
    bool all_at_grid = true;
    for (const auto& parked : parked_) {
      all_at_grid = all_at_grid && parked.state == Block::State::at_grid_barrier;
    }
    if (resume_parked(launch)) {
      if (!all_at_grid) std::this_thread::yield();
    } else if (!launch.failed()) {
      launch.wait_for_generation_after(seen);
    }
  }
  for (auto& parked : parked_) {
    parked.block->discard();
    spare_.prepared.push_back(std::move(parked.block));
  }
  parked_.clear();
}

}  // namespace assay::simt
