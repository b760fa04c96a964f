#pragma once

#include <stop_token>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"

namespace assay::python {

/// Finds out what a kernel's source wants compiled by running it, jailed, without a device.
class ExtensionFinder {
 public:
  ExtensionFinder() = default;
  ExtensionFinder(const ExtensionFinder&) = delete;
  ExtensionFinder& operator=(const ExtensionFinder&) = delete;
  ExtensionFinder(ExtensionFinder&&) = delete;
  ExtensionFinder& operator=(ExtensionFinder&&) = delete;
  virtual ~ExtensionFinder() = default;

  /// The calls the source makes when it is loaded, or the verdict it has earned by then. Fails
  /// only for reasons of ours.
  [[nodiscard]] virtual Result<std::variant<std::vector<ExtensionCall>, Verdict>> find(
      const Kernel& kernel, const Deadline& deadline, const std::stop_token& stop) = 0;
};

}  // namespace assay::python
