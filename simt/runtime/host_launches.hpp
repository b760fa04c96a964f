#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "assay/simt/engine.hpp"
#include "assay/simt_abi.h"

namespace assay::simt {

/// Arrays as a launch wants them, with the names they refer to.
struct NamedArrays {
  std::vector<std::string> names;
  std::vector<assay_simt_allocation> list;
};

/// How launches by host code of this process run, and what was found in them.
class HostLaunches {
 public:
  static HostLaunches& instance();

  void configure(const assay_simt_launch_options& options);
  /// Seed, checks and threads for a launch; no arrays.
  [[nodiscard]] assay_simt_launch_options options();
  void declare(const assay_simt_allocation& array);
  void forget(const void* base);
  /// The arrays that were declared. An array without a name gets the name of the argument that
  /// points to it.
  [[nodiscard]] NamedArrays arrays(const LaunchSpec& spec);

  void add(const assay_simt_report& report);
  /// What was added since the last call.
  [[nodiscard]] assay_simt_report take();

 private:
  struct Array {
    std::uint64_t size;
    std::string name;
    std::uint32_t element_size;
    std::uint32_t initialised;
  };

  std::mutex mutex_;
  assay_simt_launch_options options_{};
  assay_simt_report report_{};
  std::map<std::uintptr_t, Array> arrays_;  // by address; none overlaps another
};

}  // namespace assay::simt
