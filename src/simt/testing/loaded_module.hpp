#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include <assay/simt_abi.h>

#include "base/os.hpp"
#include "base/result.hpp"
#include "simt/toolchain.hpp"
#include "simt/translate.hpp"

namespace assay::simt::testing {

/// A kernel module loaded as the native runner loads one: the runtime first, for all to see, then
/// the module. Never unloaded.
class LoadedModule {
 public:
  [[nodiscard]] static Result<LoadedModule> load(const Toolchain& toolchain,
                                                 const std::filesystem::path& module);

  [[nodiscard]] const assay_simt_module& module() const { return *module_; }
  /// Null where the module has no kernel of that name.
  [[nodiscard]] const assay_simt_kernel* find(std::string_view name) const;

 private:
  explicit LoadedModule(const assay_simt_module* module) : module_(module) {}
  const assay_simt_module* module_;
};

/// What a test's source became; the file stays as long as this.
struct BuiltModule {
  TempDir directory;
  LoadedModule module;
};

/// Builds a source as a kernel module and loads it. Fails with the compiler's log.
[[nodiscard]] Result<BuiltModule> build_and_load(std::string_view source,
                                                 const TranslateOptions& options, Variant variant);

using Dimensions = std::array<std::uint32_t, 3>;

/// Launches with the addresses of `arguments`, whose types must be the kernel's own.
template <class... Arguments>
assay_simt_report launch(const assay_simt_kernel& kernel, Dimensions grid, Dimensions block,
                         std::uint64_t shared_bytes, const assay_simt_launch_options& options,
                         Arguments... arguments) {
  std::vector<void*> addresses = {static_cast<void*>(&arguments)...};
  assay_simt_report report;
  kernel.launch(&kernel, grid.data(), block.data(), shared_bytes, addresses.data(), &options,
                &report);
  return report;
}

}  // namespace assay::simt::testing
