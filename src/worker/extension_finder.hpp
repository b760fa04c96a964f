#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/verdict.hpp"
#include "process/jail_support.hpp"
#include "python/extension_finder.hpp"
#include "worker/python_command.hpp"
#include "worker/python_process.hpp"
#include "worker/python_zygote.hpp"

namespace assay::worker {

/// Runs sources in forks of a Python of its own, without a device. That Python is started when the
/// first source comes, and again should it die.
class JailedExtensionFinder final : public python::ExtensionFinder {
 public:
  /// The runner's package is written below `package_parent`; `options` need not name one.
  JailedExtensionFinder(PythonOptions options, std::filesystem::path package_parent,
                        const process::JailSupport& support)
      : options_(std::move(options)),
        package_parent_(std::move(package_parent)),
        support_(support) {}

  [[nodiscard]] Result<std::variant<std::vector<ExtensionCall>, Verdict>> find(
      const Kernel& kernel, const Deadline& deadline, const std::stop_token& stop) override;

 private:
  [[nodiscard]] Result<std::unique_ptr<PythonProcess>> fresh();

  const PythonOptions options_;
  const std::filesystem::path package_parent_;
  const process::JailSupport& support_;
  Mutex mutex_;
  std::unique_ptr<PythonZygote> zygote_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::worker
