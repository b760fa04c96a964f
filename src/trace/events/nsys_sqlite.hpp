#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/result.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

struct NsysOptions {
  /// Keep range names as recorded. Otherwise `op_id` suffixes and their like are cut (see
  /// canonical_range_name). With them every range of a PyTorch program would have a name of its
  /// own.
  bool raw_range_names = false;
};

/// Reads an Nsight Systems SQLite export, of schema 2.9 (2022) or later. Absent tables and columns
/// are counted, and are no errors. Fails with `data_loss` on a corrupt file and with
/// `invalid_argument` on a database that is no such export.
[[nodiscard]] Result<Trace> read_nsys_sqlite(const std::filesystem::path& path,
                                             const NsysOptions& options = {});

/// The same from an image in memory, on the calling thread alone.
[[nodiscard]] Result<Trace> read_nsys_sqlite(std::span<const std::byte> image,
                                             const NsysOptions& options = {});

}  // namespace assay::trace
