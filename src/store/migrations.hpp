#pragma once

#include <span>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "store/database.hpp"

namespace assay::store {

/// One step of the schema. A released one is never edited: a new one is added behind it.
struct Migration {
  int version;  // counted from 1 without holes
  const char* name;
  const char* sql;
};

/// Those of the job store, oldest first.
[[nodiscard]] std::span<const Migration> job_store_migrations();

/// Brings the schema to the newest of `migrations`, each in a transaction of its own. Fails with
/// `conflict` where the file was written by a newer program.
[[nodiscard]] Result<void> migrate(Database& database, std::span<const Migration> migrations,
                                   const Clock& clock);

}  // namespace assay::store
