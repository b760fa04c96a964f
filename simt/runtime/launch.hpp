#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "assay/simt/engine.hpp"
#include "assay/simt_abi.h"
#include "sanitizer.hpp"

namespace assay::simt {

/// One kernel launch while it runs; shared by the workers that take blocks from it.
class Launch {
 public:
  Launch(const LaunchSpec& spec, const assay_simt_launch_options& options,
         assay_simt_report& report);

  [[nodiscard]] const LaunchSpec& spec() const { return spec_; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  [[nodiscard]] std::uint64_t seed() const { return options_.seed; }
  [[nodiscard]] bool checks(unsigned what) const { return (options_.sanitize & what) != 0; }
  [[nodiscard]] bool cooperative() const { return options_.cooperative != 0; }
  [[nodiscard]] const assay_simt_launch_options& options() const { return options_; }

  /// Takes up to `wanted` blocks that nobody has run; `first` is the first of them.
  [[nodiscard]] std::uint64_t claim(std::uint64_t wanted, std::uint64_t& first);
  [[nodiscard]] bool exhausted() const {
    return next_.load(std::memory_order_relaxed) >= blocks_ || failed();
  }
  /// The index of the block that runs as number `position`: a permutation named by the seed.
  [[nodiscard]] uint3 block_index(std::uint64_t position) const;

  /// Records what was found at the running thread. The first status other than success stays.
  void report(const assay_simt_finding& finding, int status);
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }

  /// Null unless loads and stores are checked.
  [[nodiscard]] Sanitizer* sanitizer() { return sanitizer_.get(); }

  /// The grid-wide barrier: counts a block in, and lets all go when it is the last one.
  void arrive_at_grid_barrier();
  void block_done();
  [[nodiscard]] std::uint32_t generation() const {
    return generation_.load(std::memory_order_acquire);
  }
  void wait_for_generation_after(std::uint32_t seen) { generation_.wait(seen); }

 private:
  void release_grid_if_all_arrived();

  const LaunchSpec& spec_;
  const assay_simt_launch_options& options_;
  const std::uint64_t blocks_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> failed_{false};

  std::mutex report_mutex_;
  assay_simt_report& report_;  // written under report_mutex_

  std::unique_ptr<Sanitizer> sanitizer_;

  std::mutex grid_mutex_;
  std::uint64_t at_barrier_ = 0;  // under grid_mutex_
  std::uint64_t done_ = 0;        // under grid_mutex_
  std::atomic<std::uint32_t> generation_{0};
};

/// The running thread, as a report names it.
[[nodiscard]] assay_simt_place place_here(unsigned line);
/// A finding of `kind` at the running thread, with `message` in printf's terms.
[[nodiscard]] assay_simt_finding finding_here(assay_simt_finding_kind kind, unsigned line,
                                              const char* message, ...)
    __attribute__((format(printf, 3, 4)));

}  // namespace assay::simt
