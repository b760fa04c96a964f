#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/artifact.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/request.hpp"
#include "store/data_dir.hpp"
#include "store/database.hpp"
#include "store/disk_room.hpp"

namespace assay::store {

struct JobStoreOptions {
  int max_attempts = 3;  // an attempt cut short is repeated until this many were made
  /// Whether each change waits for the disk. If not, a change still survives the death of every
  /// process. But the newest may be lost with the machine's power
  /// (docs/adr/0002-job-durability.md).
  bool survive_power_loss = false;
  /// How much of the disk must stay free. Below it no job is taken.
  std::uint64_t keep_free = 0;
  /// The most that the database may hold. Past it the store behaves as if the disk were full.
  std::uint64_t max_bytes = std::uint64_t{1} << 40U;
};

struct NewJob {
  RequestForm form = RequestForm::job;
  std::string body;
  int priority = 0;
  std::optional<DeviceId> device;              // absent: any
  std::optional<std::string> idempotency_key;  // counts among its owner's alone
  std::string name{};                          // for lists; may be empty
  std::string kernel_type{};                   // of the candidate, for lists
  std::optional<std::string> owner{};          // takes turns with the other owners
};

struct Submission {
  Job job;
  bool created;  // false: the key was known, and this is the job it named
};

struct JobFilter {
  std::string id_prefix{};            // empty: every job
  std::vector<JobState> states;       // empty: every state
  std::vector<std::string> verdicts;  // empty: with or without a verdict
  std::optional<WallTime> created_after;
  std::optional<WallTime> created_before;
  std::optional<std::string> owner;  // absent: everybody's
};

/// Where the next page starts. Jobs that come or go meanwhile neither repeat nor hide others.
struct Cursor {
  std::int64_t before;
};

struct Page {
  std::vector<Job> jobs;       // newest first, without their bodies and results
  std::optional<Cursor> next;  // absent on the last page
};

struct JobCounts {
  std::map<JobState, std::uint64_t> by_state;
  std::map<std::string, std::uint64_t> by_verdict;
  std::optional<WallTime> oldest_queued;  // when it was submitted
  std::optional<WallTime> mean_created;   // over all jobs
};

/// How long a job of an owner has had a device, and when it was submitted.
struct DeviceUse {
  std::string owner;
  std::chrono::milliseconds time;
  WallTime at;
};

/// What became of an attempt that was cut short.
struct Interruption {
  JobEvent event;
  bool requeued;  // false: that was the last attempt, and the job has failed
};

struct Recovery {
  std::size_t requeued = 0;
  std::size_t failed = 0;
};

/// Which queued jobs a device may take.
struct Claim {
  DeviceId device;
  bool only_pinned = false;  // leave jobs that any device may run to the others
};

/// Every job, its history and its result. Each change is one transaction that goes through
/// `next_state`. So a job ends exactly once, whatever dies in between. Safe to use from several
/// threads; reads do not wait for writes.
class JobStore {
 public:
  /// `clock` must outlive the store, and `dir` keeps its lock as long.
  [[nodiscard]] static Result<std::unique_ptr<JobStore>> open(const DataDir& dir,
                                                              const Clock& clock,
                                                              JobStoreOptions options = {});

  /// Once this returns the job will reach a result. Fails with `conflict` where the key belongs
  /// to another request, and with `resource_exhausted` where `max_queued` jobs wait already.
  [[nodiscard]] Result<Submission> submit(const NewJob& request,
                                          std::optional<std::size_t> max_queued = std::nullopt);
  [[nodiscard]] Result<Job> get(const JobId& id);
  /// The same of its state alone, without reading the rest.
  [[nodiscard]] Result<JobState> state(const JobId& id);
  /// The text of a finished job's artifact. Fails with `not_found` where it has none of that name.
  [[nodiscard]] Result<std::string> artifact(const JobId& id, std::string_view name);
  [[nodiscard]] Result<Page> list(const JobFilter& filter, std::optional<Cursor> cursor,
                                  std::size_t limit);
  [[nodiscard]] Result<std::vector<JobEvent>> events(const JobId& id,
                                                     std::int64_t after_sequence = 0);

  /// Whose a job is, without reading all of it.
  [[nodiscard]] Result<std::optional<std::string>> owner(const JobId& id);
  /// Jobs of an owner that have not ended.
  [[nodiscard]] Result<std::size_t> unfinished(std::string_view owner);
  /// Adds to the time that a job has had a device for.
  [[nodiscard]] Result<void> charge(const JobId& id, std::chrono::milliseconds time);
  /// The device use of jobs that have owners and were submitted since then, oldest first.
  [[nodiscard]] Result<std::vector<DeviceUse>> device_use(WallTime since);

  /// Starts the next attempt: highest priority, then owners in turn, then longest in line.
  [[nodiscard]] Result<std::optional<Job>> claim_next(const Claim& claim);
  /// Moves a job by one step. `finish`, `fail` and `interrupt` have functions of their own. Fails
  /// with `conflict` where the state does not allow the step.
  [[nodiscard]] Result<JobEvent> advance(const JobId& id, JobStep step,
                                         std::string_view detail = {});
  /// The artifacts that exist are kept with the result.
  [[nodiscard]] Result<JobEvent> finish(const JobId& id, std::string_view verdict,
                                        std::string_view result, std::string_view detail = {},
                                        std::span<const Artifact> artifacts = {},
                                        std::optional<double> speedup = std::nullopt);
  [[nodiscard]] Result<JobEvent> fail(const JobId& id, const Error& error);
  /// The process that worked on the job died. The job goes back into the queue behind the others.
  /// After `max_attempts` it fails with the reason.
  [[nodiscard]] Result<Interruption> interrupt(const JobId& id, std::string_view reason);
  /// The job goes back into the queue at its old place, and the attempt does not count. For our own
  /// shutdown.
  [[nodiscard]] Result<JobEvent> give_back(const JobId& id, std::string_view reason);
  /// At start, before anything is claimed. Every job that was being worked on goes back into the
  /// queue, and the attempt does not count. But a job may be what kills the server. So it fails if
  /// it was worked on alone when the server died, as often in a row as `max_attempts`.
  [[nodiscard]] Result<Recovery> recover();
  /// At start: fails queued jobs that ask for a device not among `devices`. They would wait for
  /// ever. Returns how many.
  [[nodiscard]] Result<std::size_t> fail_stranded(const std::vector<DeviceId>& devices);

  [[nodiscard]] Result<JobCounts> counts();
  /// Exact and cheap: kept in memory.
  [[nodiscard]] std::size_t queued() const { return queued_.load(std::memory_order_relaxed); }
  /// Forgets finished jobs with their events and results: those older than `age`, and all but the
  /// newest `count`. If the rest holds more than `bytes`, the oldest go too. Returns how many went.
  /// Gives their room back to the disk.
  [[nodiscard]] Result<std::size_t> sweep(std::chrono::milliseconds age, std::size_t count,
                                          std::uint64_t bytes = UINT64_MAX);
  /// The size of the database, without what is free inside it.
  [[nodiscard]] Result<std::uint64_t> bytes_held();
  /// Fails with `resource_exhausted` if a job of this size does not fit. It must leave enough of
  /// the disk free, and enough of what the database may hold.
  [[nodiscard]] Result<void> check_room(std::size_t bytes);

 private:
  struct Reader {
    explicit Reader(Database opened) : database(std::move(opened)) {}
    Mutex mutex;
    Database database ASSAY_GUARDED_BY(mutex);
  };
  static constexpr std::size_t kReaders = 2;

  JobStore(const Clock& clock, JobStoreOptions options, DiskRoom room, Database writer,
           Database first, Database second);
  [[nodiscard]] static Result<std::unique_ptr<JobStore>> open_files(const DataDir& dir,
                                                                    const Clock& clock,
                                                                    const JobStoreOptions& options,
                                                                    const DiskRoom& room);
  void vacuum();
  Reader& reader();
  /// As stored: unpacking takes long, and others wait for the reader.
  [[nodiscard]] Result<Job> get_packed(const JobId& id);
  [[nodiscard]] Result<std::string> packed_artifact(const JobId& id, std::string_view name);
  /// One place behind the owner's newest job in line, or behind what was claimed last. So an owner
  /// with many jobs waits behind his own (start-time fair queueing).
  std::int64_t next_turn(const std::optional<std::string>& owner) ASSAY_REQUIRES(mutex_);
  [[nodiscard]] std::int64_t reached_turn(std::int64_t claimed) ASSAY_REQUIRES(mutex_);
  void note_turn(const std::optional<std::string>& owner, std::int64_t turn) ASSAY_REQUIRES(mutex_);
  Result<void> read_turns() ASSAY_REQUIRES(mutex_);
  Result<std::size_t> sweep_batch(std::string_view sql, std::int64_t bound);

  const Clock& clock_;
  const JobStoreOptions options_;
  const DiskRoom room_;
  Mutex mutex_;
  Database writer_ ASSAY_GUARDED_BY(mutex_);
  std::array<Reader, kReaders> readers_;
  std::atomic<std::size_t> next_reader_ = 0;
  std::atomic<std::size_t> queued_ = 0;                     // changed only under mutex_
  std::int64_t claimed_turn_ ASSAY_GUARDED_BY(mutex_) = 0;  // of the job claimed last
  std::map<std::string, std::int64_t> last_turns_ ASSAY_GUARDED_BY(mutex_);  // by owner; "": nobody
};

}  // namespace assay::store
