#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::worker {

/// Where a runner's standard output goes: a file of fixed size that cannot grow. A kernel that
/// prints gigabytes gets an error from write() and does no harm.
class RunnerOutput {
 public:
  [[nodiscard]] static Result<RunnerOutput> create();

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// The end of what was printed.
  [[nodiscard]] std::string tail() const;

 private:
  explicit RunnerOutput(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace assay::worker
