#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"

namespace assay::store {

struct ArtifactSweep {
  std::size_t removed = 0;
  std::uint64_t bytes_kept = 0;
};

/// Files named by the SHA-256 of their content, compressed. Safe to use from several threads and
/// processes: a file appears whole or not at all, and its name tells whether it is still true.
class ArtifactStore {
 public:
  [[nodiscard]] static Result<ArtifactStore> open(std::filesystem::path directory,
                                                  const Clock& clock);

  /// Writing what is there already costs nothing but marks it used.
  [[nodiscard]] Result<Digest> put(std::string_view bytes) const;
  /// Marks it used. Fails with `not_found`, and with `data_loss` where the bytes fail their
  /// digest; those are removed, so that they can be put again.
  [[nodiscard]] Result<std::string> get(const Digest& digest) const;
  [[nodiscard]] bool contains(const Digest& digest) const;
  /// Removes the longest unused until at most `max_bytes` remain, as they lie on disk.
  [[nodiscard]] Result<ArtifactSweep> sweep(std::uint64_t max_bytes) const;

 private:
  ArtifactStore(std::filesystem::path directory, const Clock& clock)
      : directory_(std::move(directory)), clock_(&clock) {}
  [[nodiscard]] std::filesystem::path path_of(const Digest& digest) const;
  void mark_used(const std::filesystem::path& path) const;

  std::filesystem::path directory_;
  const Clock* clock_;  // outlives the store
};

}  // namespace assay::store
