#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "eval/compiled_store.hpp"
#include "model/kernel.hpp"
#include "worker/kept_files.hpp"

namespace assay::worker {

/// What was compiled for each source, as KeptFiles keeps it.
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
  CompiledFiles(std::unique_ptr<KeptFiles> files, std::string scope)
      : files_(std::move(files)), scope_(std::move(scope)) {}
  [[nodiscard]] Digest key_of(const Kernel& kernel) const;

  const std::unique_ptr<KeptFiles> files_;
  const std::string scope_;
};

}  // namespace assay::worker
