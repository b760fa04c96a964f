// A process that works through jobs is killed at random moments; what it had promised must hold.
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/os.hpp"
#include "base/random.hpp"
#include "base/unique_fd.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "store/data_dir.hpp"
#include "store/job_store.hpp"

namespace assay::store {
namespace {

constexpr std::size_t kIdLength = 36;

/// Submits and finishes jobs for ever, writing each id to `promises` once it was promised.
[[noreturn]] void work(const std::filesystem::path& path, int promises) {
  const SystemClock clock;
  const auto dir = DataDir::open(path).value();
  const auto store = JobStore::open(dir, clock, {.max_attempts = 1'000'000}).value();
  if (!store->recover()) _exit(1);
  while (true) {
    const auto submitted = store->submit({.body = std::string(6000, 'x')});
    if (!submitted) _exit(2);
    const std::string& id = submitted->job.id.value;
    if (::write(promises, id.data(), id.size()) != static_cast<ssize_t>(id.size())) _exit(3);
    const auto job = store->claim_next({.device = DeviceId{"cpu"}}).value();
    if (!job) _exit(6);
    for (const JobStep step : {JobStep::built, JobStep::leased, JobStep::checked}) {
      if (!store->advance(job->id, step)) _exit(4);
    }
    if (!store->finish(job->id, "accepted", std::string(6000, 'r'))) _exit(5);
  }
}

/// Adds what there is to read, at least a byte; false at the end.
bool read_some(int fd, std::string& bytes) {
  std::array<char, 4096> chunk{};
  const ssize_t count = ::read(fd, chunk.data(), chunk.size());
  if (count > 0) bytes.append(chunk.data(), static_cast<std::size_t>(count));
  return count > 0;
}

void note_promises(const std::string& bytes, std::set<JobId>& promised) {
  for (std::size_t at = 0; at + kIdLength <= bytes.size(); at += kIdLength) {
    promised.insert(JobId{bytes.substr(at, kIdLength)});
  }
}

/// Some are killed while they open the store or recover, most in the middle of jobs.
void run_and_kill(const std::filesystem::path& path, bool let_it_start, std::set<JobId>& promised) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) work(path, writing.get());
  writing.reset();
  std::string bytes;
  if (let_it_start) read_some(reading.get(), bytes);
  std::this_thread::sleep_for(std::chrono::microseconds(random_u64() % 20'000));
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it gave up by itself: " << WEXITSTATUS(status);
  while (read_some(reading.get(), bytes)) {
  }
  note_promises(bytes, promised);
}

void expect_consistent(JobStore& store, const JobId& id) {
  const Job job = store.get(id).value();
  const auto events = store.events(id).value();
  ASSERT_FALSE(events.empty());
  std::size_t ends = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].sequence, static_cast<std::int64_t>(i) + 1);
    ends += is_final(events[i].state) ? 1 : 0;
  }
  EXPECT_EQ(events.back().state, job.state);
  EXPECT_EQ(ends, is_final(job.state) ? 1U : 0U);
  EXPECT_EQ(job.result.has_value(), job.state == JobState::done);
}

TEST(JobStoreKill, no_promised_job_is_lost_and_none_ends_twice) {
  const auto temp = TempDir::create(std::filesystem::temp_directory_path(), "assay-kill-").value();
  std::set<JobId> promised;
  for (int kill = 0; kill < 80; ++kill) {
    ASSERT_NO_FATAL_FAILURE(run_and_kill(temp.path(), kill % 4 != 0, promised));
  }
  const SystemClock clock;
  const auto dir = DataDir::open(temp.path()).value();
  const auto store = JobStore::open(dir, clock).value();
  ASSERT_GE(promised.size(), 60U);
  for (const JobId& id : promised) expect_consistent(*store, id);
  ASSERT_TRUE(store->recover());
  const auto counts = store->counts().value();
  for (const auto& [state, count] : counts.by_state) {
    EXPECT_TRUE(is_final(state) || state == JobState::queued) << to_string(state) << count;
  }
}

}  // namespace
}  // namespace assay::store
