#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "process/jail_support.hpp"

namespace assay::python {

/// A Python that can run kernels, or could if it had more packages.
struct Interpreter {
  std::filesystem::path program;
  std::string version;
  std::string torch;                         // versions; empty where not installed
  std::string triton;                        //
  std::string numpy;                         //
  std::filesystem::path torch_directory;     // of the package; its headers and libraries lie in it
  std::filesystem::path headers;             // Python's own, for extensions; may not exist
  std::vector<std::filesystem::path> roots;  // what a jail must show for it to start

  /// "Python 3.11.7, torch 2.11.0, triton 3.6.0"
  [[nodiscard]] std::string describe() const;
};

/// Asks one interpreter what it is; imports nothing. Fails with `not_found` if it is no
/// interpreter.
[[nodiscard]] Result<Interpreter> inspect(const std::filesystem::path& program,
                                          const process::JailSupport& jails, const Clock& clock);

/// The interpreter that is named. Without a name, it is the first of the usual places that has
/// torch, or else the first at all. Fails with `not_found`, saying where it looked.
[[nodiscard]] Result<Interpreter> find_interpreter(
    const std::optional<std::filesystem::path>& configured, const process::JailSupport& jails,
    const Clock& clock);

/// Reads what the interpreter printed about itself; public for its test.
[[nodiscard]] Result<Interpreter> read_description(const std::filesystem::path& program,
                                                   std::string_view text);

}  // namespace assay::python
