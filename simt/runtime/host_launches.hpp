#pragma once

#include <mutex>

#include "assay/simt_abi.h"

namespace assay::simt {

/// How launches by host code of this process run, and what was found in them.
class HostLaunches {
 public:
  static HostLaunches& instance();

  void configure(const assay_simt_launch_options& options);
  /// Seed, checks and threads for a launch; no arrays.
  [[nodiscard]] assay_simt_launch_options options();
  void add(const assay_simt_report& report);
  /// What was added since the last call.
  [[nodiscard]] assay_simt_report take();

 private:
  std::mutex mutex_;
  assay_simt_launch_options options_{};
  assay_simt_report report_{};
};

}  // namespace assay::simt
