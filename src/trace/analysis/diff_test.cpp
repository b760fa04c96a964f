#include "trace/analysis/diff.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/basis.hpp"
#include "trace/analysis/gate.hpp"
#include "trace/analysis/like_with_like.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/ncu/sample_report.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

ProfileSums demo(const DemoOptions& options = {}) {
  NsysFixture fixture(options.release);
  add_demo(fixture, options);
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  return profile_sums(analysis);
}

ProfileSums of(std::initializer_list<NamedSummary> kernels) {
  ProfileSums sums{.file = "x", .kernels = kernels};
  double count = 0;
  double total = 0;
  for (const NamedSummary& kernel : kernels) {
    count += static_cast<double>(kernel.summary.count);
    total += static_cast<double>(kernel.summary.total);
  }
  sums.metrics["kernel_time"] = {total, ColumnType::duration};
  sums.metrics["kernel_count"] = {count, ColumnType::integer};
  return sums;
}

NamedSummary kernel(std::string name, std::int64_t each, std::uint64_t count = 1) {
  return {std::move(name),
          {.count = count,
           .total = each * static_cast<std::int64_t>(count),
           .average = static_cast<double>(each)}};
}

Diff compared(const ProfileSums& a, const ProfileSums& b, const DiffOptions& options = {}) {
  return compare(a, b, options).value();
}

const DiffRow& row(const Diff& diff, std::string_view name) {
  return *std::ranges::find(diff.kernels, name, &DiffRow::name);
}

TEST(Diff, says_what_got_faster_slower_new_and_gone) {
  const Diff diff =
      compared(of({kernel("a", 100), kernel("b", 100), kernel("c", 100), kernel("d", 7)}),
               of({kernel("a", 150), kernel("b", 50), kernel("c", 101), kernel("e", 9)}));
  EXPECT_EQ(row(diff, "a").status, DiffStatus::slower);
  EXPECT_EQ(row(diff, "b").status, DiffStatus::faster);
  EXPECT_EQ(row(diff, "c").status, DiffStatus::same);
  EXPECT_EQ(row(diff, "d").status, DiffStatus::gone);
  EXPECT_EQ(row(diff, "e").status, DiffStatus::added);
  EXPECT_EQ(row(diff, "d").change_ns, -7);
}

TEST(Diff, judges_by_launch_so_that_a_longer_run_is_not_slower) {
  const Diff diff = compared(of({kernel("a", 100, 10)}), of({kernel("a", 100, 20)}));
  EXPECT_EQ(row(diff, "a").status, DiffStatus::same);
  EXPECT_EQ(diff.comparability.confidence, Comparability::Confidence::medium);
}

TEST(Diff, matches_names_that_two_demanglers_spell_differently) {
  const Diff diff = compared(of({kernel("void f<(int)4, (bool)1>(T1 *)", 100)}),
                             of({kernel("void f<4, true>(float*)", 100)}));
  ASSERT_EQ(diff.kernels.size(), 1U);
  EXPECT_EQ(diff.kernels[0].matched_by, MatchedBy::spelling);
}

TEST(Diff, matches_a_bare_identifier_only_where_it_is_the_only_one) {
  const Diff one =
      compared(of({kernel("void f<4>(int)", 100)}), of({kernel("void f<8>(int)", 50)}));
  ASSERT_EQ(one.kernels.size(), 1U);
  EXPECT_EQ(one.kernels[0].matched_by, MatchedBy::identifier);
  const Diff two = compared(of({kernel("void f<4>(int)", 100), kernel("void f<5>(int)", 100)}),
                            of({kernel("void f<8>(int)", 50)}));
  EXPECT_EQ(two.kernels.size(), 3U);
}

TEST(Diff, of_a_profile_with_itself_is_all_the_same) {
  const ProfileSums sums = demo();
  const Diff diff = compared(sums, sums);
  for (const DiffRow& one : diff.kernels) EXPECT_EQ(one.status, DiffStatus::same) << one.name;
  EXPECT_EQ(diff.comparability.confidence, Comparability::Confidence::high);
  EXPECT_TRUE(diff.comparability.reasons.empty());
}

TEST(Diff, across_schema_versions_matches_everything_and_says_that_tools_differ) {
  const Diff diff =
      compared(demo({.release = NsysRelease::v2_9}), demo({.release = NsysRelease::v3_25}));
  for (const DiffRow& one : diff.kernels) EXPECT_EQ(one.status, DiffStatus::same) << one.name;
  EXPECT_EQ(diff.comparability.confidence, Comparability::Confidence::medium);
}

TEST(Diff, of_different_gpus_is_of_low_confidence) {
  ProfileSums a = of({kernel("a", 1)});
  ProfileSums b = a;
  a.gpus = {"H100"};
  b.gpus = {"A100"};
  EXPECT_EQ(compared(a, b).comparability.confidence, Comparability::Confidence::low);
}

TEST(Diff, report_has_figures_kernels_and_ranges) {
  const ProfileSums a = demo();
  const ProfileSums b = demo({.gemm_scale = 1.2});
  const Report report = diff_report(a, b, compared(a, b));
  for (const char* name : {"figures", "kernels", "ranges"}) {
    EXPECT_NE(report.find_table(name), nullptr) << name;
  }
  EXPECT_EQ(report.findings.at(1).name, "comparability");
}

TEST(Diff, of_launches_weighs_each_kernel_as_often_as_before) {
  const Diff diff =
      compared(of({kernel("a", 500, 3), kernel("b", 100, 1)}),
               of({kernel("a", 400, 4), kernel("b", 100, 9)}), {.basis = {.per = Per::launch}});
  ASSERT_TRUE(diff.kernel_time.has_value());
  EXPECT_DOUBLE_EQ(diff.kernel_time->a, 400);
  EXPECT_DOUBLE_EQ(diff.kernel_time->b, 325);
  EXPECT_DOUBLE_EQ(row(diff, "a").change_ns, -300);
}

TEST(Diff, of_launches_without_a_common_kernel_has_no_time) {
  const Diff diff =
      compared(of({kernel("a", 500)}), of({kernel("b", 400)}), {.basis = {.per = Per::launch}});
  EXPECT_FALSE(diff.kernel_time.has_value());
  ProfileSums a = of({kernel("a", 500)});
  ProfileSums b = of({kernel("b", 400)});
  judge_by(diff, a, b);
  EXPECT_EQ(find_metric(a, "kernel_time").error().code(), ErrorCode::not_found);
}

TEST(Gate, by_launches_is_not_judged_where_much_of_the_time_is_in_kernels_of_one_side) {
  ProfileSums a = of({kernel("old", 100, 10)});
  ProfileSums b = of({kernel("old", 100, 10), kernel("slow_and_new", 500, 10)});
  const Diff diff = compare(a, b, {.basis = {.per = Per::launch}}).value();
  judge_by(diff, a, b);
  const auto judged = judge_gate(parse_gate("kernel_time > +5%").value(), a, b);
  ASSERT_FALSE(judged.has_value()) << "B takes six times as long";
  EXPECT_NE(judged.error().message().find("hold only 16.7% of B's kernel time"), std::string::npos)
      << judged.error().message();
}

TEST(Gate, by_launches_is_judged_where_both_have_most_of_the_time) {
  ProfileSums a = of({kernel("old", 100, 10)});
  ProfileSums b = of({kernel("old", 120, 11), kernel("small_and_new", 10, 1)});
  const Diff diff = compare(a, b, {.basis = {.per = Per::launch}}).value();
  judge_by(diff, a, b);
  EXPECT_TRUE(judge_gate(parse_gate("kernel_time > +5%").value(), a, b).value().failed);
}

TEST(Diff, matches_what_the_user_says_is_the_same) {
  const auto match = parse_match("old*=new").value();
  const Diff diff =
      compared(of({kernel("old<1>", 100)}), of({kernel("new", 50)}), {.matches = {match}});
  ASSERT_EQ(diff.kernels.size(), 1U);
  EXPECT_EQ(diff.kernels[0].matched_by, MatchedBy::asked);
  EXPECT_EQ(diff.kernels[0].status, DiffStatus::faster);
  EXPECT_FALSE(compare(of({kernel("a", 1)}), of({kernel("b", 1)}), {.matches = {match}}));
  for (const char* text : {"", "x", "=x", "x="}) {
    EXPECT_EQ(parse_match(text).error().code(), ErrorCode::invalid_argument) << text;
  }
}

TEST(Diff, suggests_a_kernel_with_the_same_grid_under_another_name) {
  ProfileSums a = of({kernel("old", 100, 4)});
  ProfileSums b = of({kernel("new", 50, 4), kernel("other", 50, 4)});
  a.shapes["old"] = {"64x1x1 of 128x1x1"};
  b.shapes["new"] = {"64x1x1 of 128x1x1"};
  b.shapes["other"] = {"2x1x1 of 128x1x1"};
  const Diff diff = compared(a, b);
  ASSERT_EQ(diff.renamed.size(), 1U);
  EXPECT_EQ(diff.renamed[0].after, "new");
  EXPECT_NE(diff.renamed[0].why.find("4 launches each"), std::string::npos);
}

TEST(Diff, of_what_cannot_be_compared_is_refused) {
  EXPECT_FALSE(check_comparable(of({kernel("a", 1)}), of({})).has_value());
  EXPECT_FALSE(check_comparable(of({}), of({})).has_value());
  EXPECT_TRUE(check_comparable(of({kernel("a", 1)}), of({kernel("b", 1)})).has_value());
}

TEST(LikeWithLike, takes_iterations_that_both_have_and_leaves_the_rest_to_launches) {
  const LikePair totals =
      like_with_like(of({kernel("a", 1, 2)}), of({kernel("a", 1, 2)}), {}).value();
  EXPECT_EQ(totals.basis.per, Per::total);
  const LikePair launches =
      like_with_like(of({kernel("a", 1, 2)}), of({kernel("a", 1, 3)}), {}).value();
  EXPECT_EQ(launches.basis.per, Per::launch);
  EXPECT_FALSE(like_with_like(of({}), of({}), {.per = Per::iteration}).has_value());
  EXPECT_FALSE(like_with_like(of({}), of({}), {.range = "x"}).has_value());
}

TEST(Gate, fails_beyond_its_threshold_only) {
  const ProfileSums a = of({kernel("a", 100)});
  const ProfileSums b = of({kernel("a", 110)});
  EXPECT_TRUE(judge_gate(parse_gate("kernel_time > +5%").value(), a, b).value().failed);
  EXPECT_FALSE(judge_gate(parse_gate("kernel_time > +10%").value(), a, b).value().failed);
  EXPECT_TRUE(judge_gate(parse_gate("kernel_time >= +10%").value(), a, b).value().failed);
  EXPECT_TRUE(judge_gate(parse_gate("kernel_time > +9ns").value(), a, b).value().failed);
  EXPECT_FALSE(judge_gate(parse_gate("kernel_time > 1us").value(), a, b).value().failed);
  EXPECT_TRUE(judge_gate(parse_gate("kernel_time < -5%").value(), b, a).value().failed);
}

TEST(Gate, tells_figures_in_their_units) {
  const GateResult result = judge_gate(parse_gate("kernel_time > +5%").value(),
                                       of({kernel("k", 100'000)}), of({kernel("k", 200'000)}))
                                .value();
  Report report;
  EXPECT_TRUE(add_gate(std::vector{result}, report));
  EXPECT_NE(report.findings.at(0).message.find("from 100.0 us to 200.0 us"), std::string::npos)
      << report.findings.at(0).message;
}

TEST(Gate, names_kernels_and_ranges_even_with_signs_in_them) {
  const GateRule rule = parse_gate("kernel_time:\"f<4> > x\" > +5%").value();
  EXPECT_EQ(rule.metric, "kernel_time:\"f<4> > x\"");
  const ProfileSums a = of({kernel("f<4> > x", 100)});
  EXPECT_FALSE(judge_gate(rule, a, a).value().failed);
}

TEST(Gate, that_is_no_condition_is_refused) {
  for (const char* text :
       {"", "kernel_time", "> 5%", "kernel_time > lots", "kernel_time > 5 parsecs",
        "kernel_time > nan%", "kernel_time > +inf%", "kernel_time < -infinity",
        "kernel_time > ++5%", "kernel_time > 1e300s"}) {
    EXPECT_EQ(parse_gate(text).error().code(), ErrorCode::invalid_argument) << text;
  }
}

TEST(Gate, that_cannot_be_judged_does_not_pass) {
  const ProfileSums a = of({kernel("a", 100)});
  EXPECT_EQ(judge_gate(parse_gate("gpu_idle > +5%").value(), a, a).error().code(),
            ErrorCode::not_found);
  const ProfileSums none = of({});
  EXPECT_FALSE(judge_gate(parse_gate("kernel_time > +5%").value(), none, a).has_value());
}

TEST(ProfileSums, come_from_counters_too) {
  const ProfileSums sums = profile_sums(testing::sample_report(), "kernels.ncu-rep");
  EXPECT_EQ(find_metric(sums, "kernel_time").value().value, 250'000);
  EXPECT_EQ(find_metric(sums, "kernel_count").value().value, 2);
  EXPECT_EQ(sums.gpus, std::vector<std::string>{"NVIDIA H200"});
  EXPECT_FALSE(find_metric(sums, "gpu_idle").has_value());
}

TEST(ProfileSums, come_from_sums_alone_too) {
  const StatsFile stats =
      parse_nsys_stats("Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,300,3,100.0,f\n")
          .value();
  const ProfileSums sums = profile_sums(stats).value();
  EXPECT_EQ(find_metric(sums, "kernel_time").value().value, 300);
  EXPECT_EQ(find_metric(sums, "kernel_time:f").value().value, 100);
  EXPECT_FALSE(find_metric(sums, "gpu_busy").has_value());
  EXPECT_FALSE(profile_sums(StatsFile()).has_value());
}

/// Three steps, and work beside them that takes `beside` each time.
Trace with_work_beside_steps(std::int64_t beside) {
  NsysFixture fixture;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = step * 10'000;
    fixture.range({.start = at, .end = at + 100, .name = "step"});
    for (const std::int64_t call : {at + 10, at + 20}) {
      fixture.launch({.call_start = call,
                      .call_end = call + 1,
                      .start = call + 2,
                      .end = call + 7,
                      .name = "k"});
    }
    fixture.launch({.call_start = at + 200,
                    .call_end = at + 201,
                    .start = at + 210,
                    .end = at + 210 + beside,
                    .name = "decode"});
  }
  return read_fixture(fixture);
}

TEST(LikeWithLike, steps_that_leave_much_work_out_are_not_compared) {
  const Trace before = with_work_beside_steps(10);
  const Trace after = with_work_beside_steps(20);
  const OpClassifier classifier;
  Analysis a(before, classifier);
  Analysis b(after, classifier);
  const LikePair pair = like_with_like(a, b, {}).value();
  EXPECT_EQ(pair.basis.per, Per::total) << "the steps hold half of the kernel time";
  EXPECT_EQ(like_with_like(a, b, {.per = Per::iteration}).value().basis.per, Per::iteration);
}

/// Steps of four kernels, which take `took` each. The calls of the first ones are `recorded` or
/// not.
Trace steps(std::string_view name, std::int64_t took, bool recorded = true) {
  NsysFixture fixture;
  for (std::int64_t step = 0; step < 5; ++step) {
    const std::int64_t at = step * 1000;
    fixture.range({.start = at, .end = at + 900, .name = std::string(name)});
    for (std::int64_t i = 0; i < 4; ++i) {
      const auto correlation = static_cast<std::uint32_t>(1 + step * 4 + i);
      const std::int64_t call = at + 10 + i * 200;
      if (recorded || i > 0) {
        fixture.call({.start = call, .end = call + 2, .correlation = correlation});
      }
      fixture.kernel(
          {.start = call + 5, .end = call + 5 + took, .name = "k", .correlation = correlation});
    }
  }
  return read_fixture(fixture);
}

struct Pairing {
  LikePair pair;
  Diff diff;
};

Pairing paired(const Trace& before, const Trace& after, const LikeOptions& options) {
  const OpClassifier classifier;
  Analysis a(before, classifier);
  Analysis b(after, classifier);
  Pairing out{.pair = like_with_like(a, b, options).value(), .diff = {}};
  out.diff = compare(out.pair.a, out.pair.b, {.basis = out.pair.basis}).value();
  judge_by(out.diff, out.pair.a, out.pair.b);
  return out;
}

TEST(Gate, of_iterations_is_not_judged_where_calls_are_not_recorded) {
  const Trace before = steps("step", 100);
  const Trace after = steps("step", 150, false);
  const GateRule rule = parse_gate("kernel_time > +5%").value();
  const Pairing asked = paired(before, after, {.per = Per::iteration});
  const auto judged = judge_gate(rule, asked.pair.a, asked.pair.b);
  ASSERT_FALSE(judged.has_value()) << "a quarter of B's kernels are in no step";
  EXPECT_NE(judged.error().message().find("25% of B's are not recorded"), std::string::npos)
      << judged.error().message();
  // Totals know all kernels.
  const Pairing usual = paired(before, after, {});
  EXPECT_EQ(usual.pair.basis.per, Per::total);
  EXPECT_TRUE(judge_gate(rule, usual.pair.a, usual.pair.b).value().failed);
}

TEST(Gate, of_iteration_time_holds_no_loop_against_another) {
  const Pairing unlike = paired(steps("train_step", 100), steps("eval_step", 100), {});
  const GateRule rule = parse_gate("iteration_time > +5%").value();
  const auto judged = judge_gate(rule, unlike.pair.a, unlike.pair.b);
  ASSERT_FALSE(judged.has_value());
  EXPECT_NE(judged.error().message().find("A runs through 'train_step' and B through 'eval_step'"),
            std::string::npos)
      << judged.error().message();
  const Pairing alike = paired(steps("step", 100), steps("step", 100), {});
  EXPECT_FALSE(judge_gate(rule, alike.pair.a, alike.pair.b).value().failed);
}

}  // namespace
}  // namespace assay::trace
