#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "compile/compiler.hpp"
#include "compile/work_area.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"

namespace assay::compile {

/// How to make a directory of headers and libraries that all builds share. The directory is made
/// under another name and then moved. Its content must not depend on the name.
struct ToolchainRecipe {
  std::string fingerprint;  // of all that decides the content, the compiler apart
  std::function<Result<void>(const std::filesystem::path& directory)> write_files;
  /// Runs of the compiler that complete the files, in any order: the arguments of each.
  std::function<std::vector<std::vector<std::string>>(const std::filesystem::path& directory)>
      compiler_runs;
  std::vector<std::filesystem::path> readable{};  // what these runs read beside the directory
  process::Limits limits{};                       // of each of them
};

/// A toolchain directory, made once per fingerprint and kept across restarts. It is made in the
/// background from the moment this exists. Several processes may make the same one at once.
class Toolchain {
 public:
  /// The directory is `parent`/<fingerprint>. `work`, `jails` and `clock` outlive this.
  Toolchain(Compiler compiler, ToolchainRecipe recipe, const std::filesystem::path& parent,
            const WorkArea& work, const process::JailSupport& jails, const Clock& clock);
  ~Toolchain();
  Toolchain(const Toolchain&) = delete;
  Toolchain& operator=(const Toolchain&) = delete;
  Toolchain(Toolchain&&) = delete;
  Toolchain& operator=(Toolchain&&) = delete;

  [[nodiscard]] const Compiler& compiler() const { return compiler_; }
  [[nodiscard]] const Digest& fingerprint() const { return fingerprint_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  /// If an attempt failed before, this waits for another one. Fails with what went wrong, with
  /// `unavailable` at the deadline and with `cancelled` when stopped. In the last two cases the
  /// work goes on.
  [[nodiscard]] Result<std::filesystem::path> wait_ready(const Deadline& deadline,
                                                         const std::stop_token& stop);

 private:
  void work_until(const std::stop_token& stop);
  [[nodiscard]] Result<void> prepare(const std::stop_token& stop) const;
  [[nodiscard]] Result<void> run_all(const std::filesystem::path& directory,
                                     const std::stop_token& stop) const;
  [[nodiscard]] Result<void> run(std::vector<std::string> arguments,
                                 const std::filesystem::path& directory,
                                 const std::stop_token& stop) const;

  const Compiler compiler_;
  const ToolchainRecipe recipe_;
  const Digest fingerprint_;
  const std::filesystem::path directory_;
  const WorkArea& work_;
  const process::JailSupport& jails_;
  const Clock& clock_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ ASSAY_GUARDED_BY(mutex_) = true;
  bool ready_ ASSAY_GUARDED_BY(mutex_) = false;
  std::uint64_t attempts_ ASSAY_GUARDED_BY(mutex_) = 0;  // finished
  std::optional<Error> last_failure_ ASSAY_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses all of the above
};

/// A toolchain that is made only once somebody asks for it.
class ToolchainOnDemand {
 public:
  /// As Toolchain's.
  ToolchainOnDemand(Compiler compiler, ToolchainRecipe recipe, std::filesystem::path parent,
                    const WorkArea& work, const process::JailSupport& jails, const Clock& clock);

  /// The recipe's. It makes nothing.
  [[nodiscard]] const std::string& fingerprint() const { return recipe_.fingerprint; }
  [[nodiscard]] Toolchain& get();

 private:
  const Compiler compiler_;
  const ToolchainRecipe recipe_;
  const std::filesystem::path parent_;
  const WorkArea& work_;
  const process::JailSupport& jails_;
  const Clock& clock_;
  Mutex mutex_;
  std::unique_ptr<Toolchain> toolchain_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::compile
