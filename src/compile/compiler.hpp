#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "process/jail_support.hpp"

namespace assay::compile {

/// A C++ compiler of this host.
struct Compiler {
  std::filesystem::path path;
  std::string family;   // "g++" or "clang++"
  std::string version;  // "12.2.0"
  std::string banner;   // the first line of --version: also tells a distribution's builds apart
  std::string target;   // "x86_64-linux-gnu"

  /// "g++ 12.2.0".
  [[nodiscard]] std::string name() const { return family + " " + version; }
  void hash_into(Hasher& hasher) const;
};

/// The compiler at `configured`, or the first g++ or clang++ of this host, asked who it is.
/// Fails with `not_found`, saying what to install.
[[nodiscard]] Result<Compiler> find_compiler(const std::optional<std::filesystem::path>& configured,
                                             const process::JailSupport& jails, const Clock& clock);

}  // namespace assay::compile
