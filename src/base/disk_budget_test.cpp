#include "base/disk_budget.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/os.hpp"

namespace assay {
namespace {

using std::chrono::minutes;

/// Entries of a cache that lies nowhere.
class DiskBudgetTest : public ::testing::Test {
 protected:
  DiskBudget make(DiskLimits limits) {
    return {limits, clock_, [this] { return entries_; },
            [this](const std::filesystem::path& path) {
              std::erase_if(entries_, [&](const DiskEntry& entry) { return entry.path == path; });
            }};
  }
  void add(DiskBudget& budget, const std::string& name) {
    entries_.push_back({.path = name, .used = clock_.wall_now(), .bytes = 100});
    budget.added(100);
    clock_.advance(minutes(1));
  }
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    names.reserve(entries_.size());
    for (const DiskEntry& entry : entries_) names.push_back(entry.path.string());
    return names;
  }

  ManualClock clock_;
  std::vector<DiskEntry> entries_;
};

TEST_F(DiskBudgetTest, what_was_not_used_for_longest_goes_first) {
  DiskBudget budget = make({.bytes = 300, .protection = minutes(0)});
  for (const char* name : {"a", "b", "c"}) add(budget, name);
  entries_.front().used = clock_.wall_now();
  add(budget, "d");
  EXPECT_EQ(left(), (std::vector<std::string>{"a", "d"}));
  EXPECT_EQ(budget.bytes(), 200U);
}

TEST_F(DiskBudgetTest, what_other_processes_added_counts) {
  entries_.push_back({.path = "theirs", .used = {}, .bytes = 1000});
  DiskBudget budget = make({.bytes = 300, .protection = minutes(0)});
  clock_.advance(minutes(1));
  budget.added(0);
  EXPECT_TRUE(left().empty());
}

TEST_F(DiskBudgetTest, what_was_used_lately_stays_past_the_limit) {
  DiskBudget budget = make({.bytes = 150, .protection = minutes(60)});
  add(budget, "a");
  add(budget, "b");
  EXPECT_EQ(left().size(), 2U);
}

TEST(DiskUse, a_mark_is_the_last_use_and_an_absent_file_was_used_long_ago) {
  const TempDir directory = TempDir::create("/tmp", "assay-use-").value();
  const std::filesystem::path file = directory.path() / "entry";
  ASSERT_TRUE(write_file_atomically(file, "content"));
  ManualClock clock;
  clock.advance(minutes(7));
  mark_used(file, clock);
  EXPECT_EQ(last_use(file), clock.wall_now());
  EXPECT_EQ(last_use(directory.path() / "absent"), WallTime());
}

TEST(DiskUse, content_takes_whole_blocks) {
  EXPECT_EQ(size_on_disk(0), 0U);
  EXPECT_EQ(size_on_disk(1), 4096U);
  EXPECT_EQ(size_on_disk(4096), 4096U);
}

}  // namespace
}  // namespace assay
