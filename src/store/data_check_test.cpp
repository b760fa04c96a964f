#include "store/data_check.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "store/data_dir.hpp"
#include "store/database.hpp"
#include "store/job_store.hpp"

namespace assay::store {
namespace {

class DataCheckTest : public testing::Test {
 protected:
  DataCheckTest() {
    const auto store = JobStore::open(dir_, clock_).value();
    done_ = store->submit({.body = "{}"}).value().job.id;
    (void)store->claim_next({.device = DeviceId{"cpu"}}).value();
    EXPECT_TRUE(store->finish(done_, "accepted", "{}"));
    waiting_ = store->submit({.body = "{}"}).value().job.id;
  }
  /// As a broken disk or a careless hand might.
  void damage(const std::string& sql) {
    Database database = Database::open(dir_.database(), Database::Mode::read_write).value();
    ASSERT_TRUE(database.execute("PRAGMA foreign_keys = OFF; " + sql));
  }
  std::vector<std::string> found(bool mend) {
    std::vector<std::string> texts;
    const DataReport report = check_data(dir_, clock_, mend).value();
    for (const DataFinding& finding : report.findings) {
      EXPECT_EQ(finding.mended, mend) << finding.what;
      texts.push_back(finding.what);
    }
    return texts;
  }

  ManualClock clock_;
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-fsck-").value();
  DataDir dir_ = DataDir::open(temp_.path()).value();
  JobId done_;
  JobId waiting_;
};

TEST_F(DataCheckTest, sound_data_has_nothing_to_tell) {
  const DataReport report = check_data(dir_, clock_, true).value();
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.is_sound());
  EXPECT_EQ(report.jobs, 2U);
}

TEST_F(DataCheckTest, parts_of_no_job_are_removed) {
  damage("INSERT INTO bodies VALUES (99, x'00'); INSERT INTO events VALUES (99, 1, 0, 'done', '')");
  EXPECT_EQ(found(false), (std::vector<std::string>{"1 events of no job", "1 bodies of no job"}));
  EXPECT_EQ(found(true).size(), 2U);
  EXPECT_TRUE(found(false).empty());
}

TEST_F(DataCheckTest, job_that_lost_its_request_fails_or_is_forgotten) {
  damage("DELETE FROM bodies");
  EXPECT_EQ(found(true).size(), 2U);
  EXPECT_TRUE(found(false).empty());
  const auto store = JobStore::open(dir_, clock_).value();
  EXPECT_EQ(store->events(waiting_).value().back().state, JobState::failed);
  EXPECT_EQ(store->events(done_).error().code(), ErrorCode::not_found);
}

TEST_F(DataCheckTest, what_cannot_be_unpacked_is_found) {
  damage("UPDATE results SET bytes = x'0112345678'");
  EXPECT_EQ(found(false), (std::vector<std::string>{"job " + done_.value + " has broken results"}));
  EXPECT_EQ(found(true).size(), 1U);
  EXPECT_TRUE(found(false).empty());
}

TEST_F(DataCheckTest, history_with_a_hole_is_told_and_stays) {
  damage("DELETE FROM events WHERE sequence = 1 AND job = 1");
  const DataReport report = check_data(dir_, clock_, true).value();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].what, "job " + done_.value + " misses events");
  EXPECT_FALSE(report.is_sound());
}

TEST_F(DataCheckTest, file_of_an_older_assay_is_written_anew) {
  damage("PRAGMA auto_vacuum = NONE; VACUUM");
  EXPECT_EQ(found(true).size(), 1U);
  EXPECT_TRUE(found(false).empty());
}

TEST_F(DataCheckTest, file_that_is_no_database_cannot_be_checked) {
  std::filesystem::remove(dir_.database().string() + "-wal");
  ASSERT_TRUE(write_file_atomically(dir_.database(), std::string(8192, 'x')));
  EXPECT_EQ(check_data(dir_, clock_, true).error().code(), ErrorCode::data_loss);
}

}  // namespace
}  // namespace assay::store
