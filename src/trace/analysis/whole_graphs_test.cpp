#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/diff.hpp"
#include "trace/analysis/gate.hpp"
#include "trace/analysis/like_with_like.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/pick_kernels.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Four steps of eight kernels of 100; those of a graph that was traced whole are one piece.
Trace program(std::uint32_t in_graph) {
  NsysFixture fixture;
  std::int64_t now = 0;
  for (std::uint32_t step = 0; step < 4; ++step) {
    const std::int64_t begin = now;
    if (in_graph > 0) {
      const std::uint32_t id = step + 1;
      fixture.call(
          {.start = now, .end = now + 5, .name = "cudaGraphLaunch_v10000", .correlation = id});
      fixture.graph(now + 10, now + 10 + 100 * std::int64_t{in_graph}, 7, id);
      now += 10 + 100 * std::int64_t{in_graph};
    }
    for (std::uint32_t i = in_graph; i < 8; ++i) {
      fixture.launch({.call_start = now,
                      .call_end = now + 2,
                      .start = now + 3,
                      .end = now + 103,
                      .name = i % 4 == 3 ? "elementwise_kernel" : "gemm_kernel"});
      now += 103;
    }
    fixture.range({.start = begin, .end = now, .name = fmt::format("step {}", step)});
    now += 10;
  }
  return read_fixture(fixture);
}

Finding asked(std::uint32_t in_graph, std::string_view question) {
  const Trace trace = program(in_graph);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  return ask(analysis, question, {}).value().findings.at(0);
}

TEST(WholeGraphs, no_kernel_is_the_first_where_graphs_hide_most_of_them) {
  for (const std::string_view question : {"top-kernel", "besides-matmul"}) {
    const Finding finding = asked(6, question);
    EXPECT_EQ(finding.kind, FindingKind::abstention) << finding.message;
    EXPECT_NE(finding.message.find("--cuda-graph-trace=node"), std::string::npos);
  }
}

TEST(WholeGraphs, no_kernel_is_the_first_where_graphs_hide_as_much_as_it_takes) {
  EXPECT_EQ(asked(4, "top-kernel").kind, FindingKind::abstention);
}

TEST(WholeGraphs, where_they_hide_little_the_answer_says_how_much) {
  const Finding finding = asked(2, "top-kernel");
  EXPECT_EQ(finding.kind, FindingKind::answer);
  EXPECT_NE(finding.message.find("traced whole take 800 ns more"), std::string::npos)
      << finding.message;
}

TEST(WholeGraphs, are_launched_and_queued_like_kernels) {
  const Finding finding = asked(8, "launch-bound");
  EXPECT_EQ(finding.kind, FindingKind::answer) << finding.message;
}

TEST(WholeGraphs, count_among_what_an_iteration_launches) {
  const Finding finding = asked(8, "iterations");
  EXPECT_NE(finding.message.find("0 kernels and 1 CUDA graph on average"), std::string::npos)
      << finding.message;
}

TEST(WholeGraphs, are_pointed_out_by_the_overview_and_the_plan_for_ncu) {
  const Trace trace = program(6);
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Report report = make_report(analysis, {}).value();
  bool found = false;
  for (const Finding& finding : report.findings) found |= finding.name == "graphs_traced_whole";
  EXPECT_TRUE(found);
  EXPECT_NE(pick_kernels(analysis, 1, "", RangeRule::both).value().caution.find("traced whole"),
            std::string::npos);
}

LikePair pair_of(std::uint32_t in_graph_a, std::uint32_t in_graph_b) {
  const Trace before = program(in_graph_a);
  const Trace after = program(in_graph_b);
  const OpClassifier classifier;
  Analysis a(before, classifier);
  Analysis b(after, classifier);
  return like_with_like(a, b, {}).value();
}

TEST(WholeGraphs, what_they_hide_is_not_taken_for_time_saved) {
  for (const std::uint32_t in_graph : {6U, 8U}) {
    LikePair pair = pair_of(0, in_graph);
    ASSERT_TRUE(check_comparable(pair.a, pair.b).has_value());
    const Diff diff = compare(pair.a, pair.b, {.basis = pair.basis}).value();
    const Finding headline = diff_report(pair.a, pair.b, diff).findings.at(0);
    EXPECT_EQ(headline.name, "gpu_busy");
    EXPECT_NE(headline.message.find("800 ns and then for 800 ns (+0.0%)"), std::string::npos)
        << headline.message;
    judge_by(diff, pair.a, pair.b);
    const auto judged = judge_gate(parse_gate("kernel_time > +5%").value(), pair.a, pair.b);
    ASSERT_FALSE(judged.has_value());
    EXPECT_NE(judged.error().message().find("inside CUDA graphs"), std::string::npos);
    EXPECT_FALSE(judge_gate(parse_gate("gpu_busy > +5%").value(), pair.a, pair.b)->failed);
  }
}

}  // namespace
}  // namespace assay::trace
