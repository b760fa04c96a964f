#include "profile/ncu_runs.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "trace/analysis/pick_kernels.hpp"
#include "trace/ncu/rep_fixture.hpp"
#include "trace/ncu/sample_report.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

/// An ncu that is a script: it notes its words, runs the program and leaves a report unless the
/// kernel asked for is called "missing".
class NcuRuns : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "sample.ncu-rep", std::ios::binary)
        << trace::testing::write_ncu_rep(trace::testing::sample_report());
    std::ofstream(ncu_) << "#!/bin/sh\necho \"$@\" >> '" << (folder_.path() / "words").string()
                        << "'\nwhile [ $# -gt 0 ]; do case \"$1\" in\n--export) out=$2; shift 2;;\n"
                           "--kernel-name) name=$2; shift 2;;\n--force-overwrite|--nvtx) shift;;\n"
                           "--*) shift 2;;\n*) break;; esac; done\n\"$@\" || exit 9\n"
                           "case \"$name\" in *missing*) echo '==WARNING== No kernels were "
                           "profiled.'; exit 0;; esac\n"
                           "cp '"
                        << (folder_.path() / "sample.ncu-rep").string() << "' \"$out\"\n";
    fs::permissions(ncu_, fs::perms::owner_all);
  }

  static trace::KernelPick pick(std::size_t rank, const std::string& name) {
    return {
        .rank = rank, .grid_rank = 1, .name = name, .name_base = "demangled", .name_regex = name};
  }

  auto run(const trace::PickPlan& plan) {
    return run_ncu(plan, ncu_, folder_.path() / "ncu", stop_.get_token(), clock_,
                   [&](std::size_t number, std::size_t, const trace::KernelPick&) {
                     started_.push_back(number);
                   });
  }

  SystemClock clock_;
  std::stop_source stop_;
  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "ncu_runs").value();
  fs::path ncu_ = folder_.path() / "ncu.sh";
  std::vector<std::size_t> started_;
};

TEST_F(NcuRuns, count_each_pick_in_a_process_of_its_own_and_keep_failures_apart) {
  const trace::PickPlan plan{.command = {"/bin/true"},
                             .set = "basic",
                             .picks = {pick(1, "first"), pick(2, "missing"), pick(3, "third")}};
  const auto counted = run(plan).value();
  ASSERT_EQ(counted.size(), 3U);
  EXPECT_TRUE(counted[0].report);
  EXPECT_FALSE(counted[1].report);
  EXPECT_EQ(counted[1].failure, "No kernels were profiled.");
  EXPECT_TRUE(counted[2].report) << "one failure does not stop the others";
  EXPECT_TRUE(fs::exists(folder_.path() / "ncu" / "kernel_01.ncu-rep"));
  const std::string words = read_file(folder_.path() / "words").value();
  EXPECT_NE(words.find("--clock-control none"), std::string::npos);
  EXPECT_NE(words.find("--set basic"), std::string::npos);
}

TEST_F(NcuRuns, go_on_where_they_stopped) {
  const trace::PickPlan plan{.command = {"/bin/true"},
                             .picks = {pick(1, "first"), pick(2, "second")}};
  ASSERT_TRUE(run({.command = plan.command, .picks = {plan.picks[0]}}));
  started_.clear();
  ASSERT_EQ(run(plan).value().size(), 2U);
  EXPECT_EQ(started_, std::vector<std::size_t>{2}) << "the first is there from before";
}

TEST_F(NcuRuns, count_again_what_was_counted_in_another_way) {
  const std::vector<trace::KernelPick> picks = {pick(1, "first")};
  ASSERT_TRUE(run({.command = {"/bin/true"}, .set = "basic", .picks = picks}));
  started_.clear();
  const trace::PickPlan whole{.command = {"/bin/true"}, .set = "full", .picks = picks};
  ASSERT_TRUE(run(whole));
  EXPECT_EQ(started_, std::vector<std::size_t>{1}) << "of another set";
  ASSERT_TRUE(run(whole));
  EXPECT_EQ(started_, std::vector<std::size_t>{1}) << "of the same";
  ASSERT_TRUE(run({.command = {"/bin/true"}, .set = "full", .picks = {pick(1, "other")}}));
  EXPECT_EQ(started_, (std::vector<std::size_t>{1, 1})) << "of another kernel";
}

TEST_F(NcuRuns, without_an_ncu_are_those_of_before) {
  const trace::PickPlan plan{.command = {"/bin/true"},
                             .picks = {pick(1, "first"), pick(2, "second")}};
  ASSERT_TRUE(run({.command = plan.command, .picks = {plan.picks[0]}}));
  ncu_.clear();
  const auto counted = run(plan).value();
  ASSERT_EQ(counted.size(), 1U);
  EXPECT_EQ(counted[0].pick.name, "first");
}

TEST_F(NcuRuns, a_program_that_fails_is_told_and_a_stop_ends_them) {
  const auto failed = run({.command = {"/bin/false"}, .picks = {pick(1, "first")}}).value();
  EXPECT_NE(failed[0].failure.find("ended with 9"), std::string::npos) << failed[0].failure;
  stop_.request_stop();
  const auto stopped = run({.command = {"/bin/sleep", "5"}, .picks = {pick(1, "first")}});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::cancelled);
}

}  // namespace
}  // namespace assay::profile
