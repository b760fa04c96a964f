#include "metrics/keys.hpp"

#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os.hpp"
#include "base/testkit/checkout.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/summary.hpp"

namespace assay::metrics {
namespace {

TEST(Keys, make_the_eleven_groups_and_no_key_twice) {
  std::set<std::string_view> groups;
  std::set<std::pair<std::string_view, std::string_view>> all;
  for (const Key& key : keys()) {
    groups.insert(key.group);
    EXPECT_TRUE(all.emplace(key.group, key.key).second) << key.group << "." << key.key;
    EXPECT_EQ(key.rule == Rule::ratio, key.divisor != nullptr) << key.key;
    EXPECT_FALSE(key.unit.empty()) << key.key;
  }
  EXPECT_EQ(groups.size(), 11U);
}

TEST(Keys, are_all_in_the_page_for_users) {
  const std::string page = read_file(testkit::source_dir() / "docs/device-metrics.md").value();
  for (const Key& key : keys()) {
    EXPECT_NE(page.find(fmt::format("`{}`", key.key)), std::string::npos) << key.key;
    EXPECT_NE(page.find(fmt::format("`{}`", key.group)), std::string::npos) << key.group;
  }
}

TEST(Keys, stalls_are_shares_of_the_time_a_warp_lives) {
  trace::NcuLaunch launch;
  launch.metrics = {
      {.name = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
       .value = 6.0},
      {.name = "smsp__average_warp_latency_per_inst_issued.ratio", .value = 8.0}};
  launch.sort_metrics();
  const LaunchFacts facts{.launch = launch, .summary = trace::summarize(launch)};
  for (const Key& key : keys()) {
    if (key.group != "stall_metrics") continue;
    const auto value = value_of(key, facts);
    if (key.key == "stall_long_scoreboard_pct") {
      EXPECT_EQ(value, 75.0);
    } else {
      EXPECT_FALSE(value) << key.key;
    }
  }
}

}  // namespace
}  // namespace assay::metrics
