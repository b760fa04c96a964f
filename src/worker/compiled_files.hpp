#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/disk_budget.hpp"
#include "base/result.hpp"
#include "eval/compiled_store.hpp"
#include "model/kernel.hpp"

namespace assay::worker {

/// One file for each source, in a directory that several workers may use. Files appear whole and
/// carry digests: one that was damaged is not found.
class CompiledFiles final : public eval::CompiledStore {
 public:
  /// `scope` names all beside the source that machine code depends on: versions and the device.
  /// `clock` outlives this.
  [[nodiscard]] static Result<std::unique_ptr<CompiledFiles>> open(std::filesystem::path directory,
                                                                   std::string scope,
                                                                   std::uint64_t limit,
                                                                   const Clock& clock);

  [[nodiscard]] std::optional<std::vector<std::byte>> find(const Kernel& kernel) override;
  void keep(const Kernel& kernel, std::span<const std::byte> packed) override;

 private:
  CompiledFiles(std::filesystem::path directory, std::string scope, std::uint64_t limit,
                const Clock& clock);
  [[nodiscard]] std::filesystem::path path_of(const Kernel& kernel) const;

  const std::filesystem::path directory_;
  const std::string scope_;
  const Clock& clock_;
  DiskBudget budget_;
};

}  // namespace assay::worker
