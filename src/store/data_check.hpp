#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "store/data_dir.hpp"

namespace assay::store {

struct DataFinding {
  std::string what;
  bool mended = false;
};

struct DataReport {
  std::size_t jobs = 0;
  std::vector<DataFinding> findings;

  /// Whether nothing is wrong any more.
  [[nodiscard]] bool is_sound() const;
};

/// Reads all that a data directory holds and says what is wrong with it. With `mend`, parts that
/// belong to no job are removed. Jobs that lost a part fail or are forgotten. The file is written
/// anew if it could not give room back. Fails where the file cannot be opened at all.
[[nodiscard]] Result<DataReport> check_data(const DataDir& dir, const Clock& clock, bool mend);

}  // namespace assay::store
