#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "store/database.hpp"

namespace assay::store {

/// The columns `read_job` expects, in its order.
inline constexpr std::string_view kJobColumns =
    "number, id, form, state, priority, attempts, created, started, finished, verdict, "
    "error_code, error_message, name, kernel_type, speedup, owner, turn";
/// The position of a column that a query adds behind them.
inline constexpr int kAfterJobColumns = 17;

struct JobRow {
  std::int64_t number;
  std::int64_t turn;  // place in line
  Job job;            // without body and result
};

/// Fails with `data_loss` for a name that no program of ours writes.
[[nodiscard]] Result<JobRow> read_job(const Statement& row);
/// Fails with `not_found`.
[[nodiscard]] Result<JobRow> find_job(Database& database, const JobId& id);

// Bytes are stored as `pack` makes them (store/compression.hpp). Who calls these unpacks them.
[[nodiscard]] Result<std::string> packed_body(Database& database, std::int64_t number);
[[nodiscard]] Result<std::optional<std::string>> packed_result(Database& database,
                                                               std::int64_t number);
[[nodiscard]] Result<void> write_artifact(Database& database, std::int64_t number,
                                          std::string_view name, std::string_view packed);
/// Fails with `not_found`.
[[nodiscard]] Result<std::string> packed_artifact(Database& database, std::int64_t number,
                                                  std::string_view name);

[[nodiscard]] Result<void> write_event(Database& database, std::int64_t number,
                                       const JobEvent& event);

/// What a step changes in a job's row beside its state.
struct Change {
  JobStep step;
  std::string_view detail;
  std::optional<std::string_view> verdict;  // with `finish`
  std::optional<double> speedup;            // with `finish`
  const Error* error = nullptr;             // with `fail`; borrowed
};

/// Moves one job by one step and writes the event, within the caller's transaction. Fails with
/// `conflict` where `next_state` forbids it.
[[nodiscard]] Result<JobEvent> move_job(Database& database, const JobRow& row, const Change& change,
                                        WallTime now);

}  // namespace assay::store
