#include "profile/run_store.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "profile/manifest.hpp"

namespace assay::profile {
namespace {

using namespace std::chrono_literals;

class Runs : public testing::Test {
 protected:
  /// A run of so many bytes, an hour after the last.
  std::string add(std::size_t bytes = 10) {
    clock_.advance(1h);
    const auto folder = store_.create(clock_).value();
    std::ofstream(folder / "data") << std::string(bytes, 'x');
    std::ofstream(folder / kManifest) << manifest_json({.command = {"python", "x.py"}}, nullptr);
    return folder.filename().string();
  }
  std::vector<std::string> ids() {
    std::vector<std::string> out;
    const std::vector<RunRecord> runs = store_.list().value();
    for (const RunRecord& run : runs) out.push_back(run.id);
    return out;
  }

  ManualClock clock_;
  TempDir folder_ = TempDir::create(std::filesystem::temp_directory_path(), "runs").value();
  RunStore store_{folder_.path() / "runs"};
};

TEST_F(Runs, are_listed_with_the_newest_first) {
  EXPECT_TRUE(store_.list().value().empty()) << "there is no folder yet";
  const std::string first = add();
  const std::string second = add();
  EXPECT_EQ(ids(), (std::vector{second, first}));
  EXPECT_EQ(store_.list().value().at(0).command, "python x.py");
  EXPECT_TRUE(store_.list().value().at(0).exit_code.empty());
}

TEST_F(Runs, of_one_second_have_different_names) {
  const auto first = store_.create(clock_).value();
  EXPECT_NE(first, store_.create(clock_).value());
}

TEST_F(Runs, are_found_by_id_beginning_and_as_the_last) {
  const std::string first = add();
  const std::string second = add();
  EXPECT_EQ(store_.find(first).value().id, first);
  EXPECT_EQ(store_.find("last").value().id, second);
  EXPECT_EQ(store_.find("1970").error().code(), ErrorCode::invalid_argument) << "both";
  EXPECT_EQ(store_.find("2031").error().code(), ErrorCode::not_found);
}

TEST_F(Runs, are_removed_by_number_age_and_size_but_never_when_pinned) {
  const std::string oldest = add();
  ASSERT_TRUE(store_.pin(oldest, true));
  const std::string second = add();
  const std::string third = add();
  const std::string newest = add();
  EXPECT_EQ(store_.prune({.keep_last = 2}, clock_).value(), std::vector{second});
  EXPECT_EQ(ids(), (std::vector{newest, third, oldest}));
  EXPECT_EQ(store_.prune({.older_than = 1h}, clock_).value(), std::vector<std::string>());
  clock_.advance(1h);
  EXPECT_EQ(store_.prune({.older_than = 1h}, clock_).value(), std::vector{third});
}

TEST_F(Runs, are_no_other_folders_that_hold_a_manifest) {
  const std::string run = add();
  const auto other = folder_.path() / "runs" / "my-web-page";
  std::filesystem::create_directories(other);
  std::ofstream(other / kManifest) << "{}";
  EXPECT_EQ(ids(), std::vector{run});
  EXPECT_EQ(store_.prune({.keep_last = 0}, clock_).value(), std::vector{run});
  EXPECT_TRUE(std::filesystem::exists(other)) << "it is not ours to remove";
}

TEST_F(Runs, that_are_under_way_are_not_removed) {
  const std::string id = add();
  {
    const RunningMark mark(store_.find(id).value().folder);
    EXPECT_TRUE(store_.find(id).value().running);
    EXPECT_TRUE(store_.prune({.keep_last = 0}, clock_).value().empty());
  }
  EXPECT_FALSE(store_.find(id).value().running) << "it ended, perhaps by a crash";
  EXPECT_EQ(store_.prune({.keep_last = 0}, clock_).value(), std::vector{id});
}

TEST_F(Runs, of_sweeps_are_listed_and_removed_with_the_others) {
  const std::string plain = add();
  const RunStore point(folder_.path() / "runs" / "sweep-12ab" / "batch=8");
  clock_.advance(1h);
  const auto folder = point.create(clock_).value();
  std::ofstream(folder / kManifest) << manifest_json({.command = {"x"}}, nullptr);
  const std::string id = "sweep-12ab/batch=8/" + folder.filename().string();
  EXPECT_EQ(ids(), (std::vector{id, plain})) << "by time, wherever they are";
  EXPECT_EQ(store_.find("last").value().id, id);
  EXPECT_EQ(store_.find(folder.filename().string()).value().id, id);
  EXPECT_EQ(store_.prune({.keep_last = 0}, clock_).value(), (std::vector{id, plain}));
}

TEST_F(Runs, of_one_second_are_in_the_order_they_began) {
  clock_.advance(1h);
  std::string last;
  for (int i = 0; i < 12; ++i) {
    const auto folder = store_.create(clock_).value();
    std::ofstream(folder / kManifest) << manifest_json({.command = {"x"}}, nullptr);
    last = folder.filename().string();
  }
  EXPECT_EQ(store_.find("last").value().id, last) << "the twelfth, not the ninth";
}

TEST_F(Runs, that_are_too_large_together_go_from_the_oldest) {
  const std::string first = add(5000);
  const std::string second = add(5000);
  EXPECT_EQ(store_.prune({.keep_bytes = 8000}, clock_).value(), std::vector{first});
  ASSERT_TRUE(store_.pin(second, true));
  EXPECT_TRUE(store_.prune({.keep_bytes = 1}, clock_).value().empty());
}

TEST_F(Runs, the_newest_stays_however_large_it_is) {
  const std::string older = add(10);
  const std::string newest = add(5000);
  EXPECT_EQ(store_.prune({.keep_bytes = 1}, clock_).value(), std::vector{older});
  EXPECT_EQ(ids(), std::vector{newest});
  EXPECT_EQ(store_.prune({.keep_last = 0, .keep_bytes = 1}, clock_).value(), std::vector{newest})
      << "another limit says so";
}

TEST_F(Runs, a_small_old_one_does_not_stay_in_the_place_of_a_large_newer_one) {
  const std::string oldest = add(10);
  const std::string large = add(5000);
  const std::string newest = add(10);
  EXPECT_EQ(store_.prune({.keep_bytes = 4000}, clock_).value(), (std::vector{large, oldest}));
  EXPECT_EQ(ids(), std::vector{newest});
}

}  // namespace
}  // namespace assay::profile
