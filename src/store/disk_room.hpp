#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/result.hpp"

namespace assay::store {

/// How much room a file system has left, and a file that reserves some of it. When the disk is
/// full, the file is given up. A server can then open its database and write what it must.
class DiskRoom {
 public:
  static constexpr std::uint64_t kReserve = std::uint64_t{8} << 20U;

  DiskRoom(std::filesystem::path directory, std::uint64_t keep_free)
      : directory_(std::move(directory)), keep_free_(keep_free) {}

  /// Fails with `resource_exhausted` where `bytes` more would leave less than is to be kept free.
  [[nodiscard]] Result<void> check(std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t free_bytes() const;

  /// Makes the file if there is more room than it takes.
  void keep_reserve() const;
  /// True where there was one.
  bool give_up_reserve() const;

 private:
  [[nodiscard]] std::filesystem::path reserve() const { return directory_ / "reserve"; }

  std::filesystem::path directory_;
  std::uint64_t keep_free_;
};

}  // namespace assay::store
