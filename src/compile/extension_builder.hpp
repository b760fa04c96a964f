#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/extension_container.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/verdict.hpp"

namespace assay::compile {

/// Of the sources of a kernel together, and of all that it passes to load_inline and load.
inline constexpr std::size_t kLargestSource = std::size_t{1} << 20U;
/// Of a file that a compiler writes for an extension. The server reads it whole.
inline constexpr std::uint64_t kLargestExtension = std::uint64_t{256} << 20U;

/// A verdict if the sources are larger than that.
[[nodiscard]] std::optional<Verdict> too_large(const std::vector<ExtensionCall>& calls);
[[nodiscard]] std::optional<Verdict> too_large(std::size_t source_bytes);

/// What came of one call of load_inline.
struct BuiltExtension {
  std::vector<ExtensionFile> files;
  std::string log;  // warnings, and which road was taken
};

/// Compiles what Python sources pass to load_inline and load, for one kind of device.
class ExtensionBuilder {
 public:
  ExtensionBuilder() = default;
  ExtensionBuilder(const ExtensionBuilder&) = delete;
  ExtensionBuilder& operator=(const ExtensionBuilder&) = delete;
  ExtensionBuilder(ExtensionBuilder&&) = delete;
  ExtensionBuilder& operator=(ExtensionBuilder&&) = delete;
  virtual ~ExtensionBuilder() = default;

  [[nodiscard]] virtual DeviceKind device() const = 0;
  /// All that decides what comes out beside the call itself.
  [[nodiscard]] virtual std::string fingerprint() const = 0;
  /// As Backend has it.
  [[nodiscard]] virtual Result<std::filesystem::path> wait_ready(const Deadline& deadline,
                                                                 const std::stop_token& stop) = 0;
  /// What is made until then, as Builder::preparation has it.
  [[nodiscard]] virtual std::string preparation() const { return {}; }
  /// Builds into `directory`, which does not exist yet. The Compilation is a failure of the
  /// source's own.
  [[nodiscard]] virtual Result<std::variant<BuiltExtension, Compilation>> build(
      const ExtensionCall& call, const std::filesystem::path& directory, const Deadline& deadline,
      const std::stop_token& stop) = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

/// Builds all of them into one container below `directory`, or ends with the first that fails.
[[nodiscard]] Result<Compilation> compile_extensions(ExtensionBuilder& builder,
                                                     const std::vector<ExtensionCall>& calls,
                                                     const std::filesystem::path& directory,
                                                     const Deadline& deadline,
                                                     const std::stop_token& stop);

}  // namespace assay::compile
