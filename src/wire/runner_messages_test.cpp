#include "wire/runner_messages.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/finding.hpp"
#include "model/io_contract.hpp"
#include "model/kernel_resources.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"

namespace assay::wire {
namespace {

LaunchPlan sample_plan() {
  return {
      .grid = {4, 2, 1},
      .block = {32, 1, 1},
      .shared_mem_bytes = 128,
      .cooperative = true,
      .cluster = Dim3{2, 1, 1},
      .args = {ArenaPart{.name = "x", .offset = 256, .size = 64, .element_size = 4}, ScalarArg(2.0),
               ScalarArg(std::int64_t{-5}), ScalarArg(true), ScalarArg(std::string("s"))},
      .restores = {{.from = 1024, .to = 256, .size = 64}},
      .poisons = {{.offset = 512, .size = 8}},
      .sanitize = {.race = true},
      .schedule_seed = 0xFFFF'FFFF'FFFF'FFFFU};
}

TEST(RunnerCommand, launch_plan_reads_back_as_written) {
  const std::string text = encode_command(BindCommand{sample_plan(), 4096});
  const auto again = std::get<BindCommand>(decode_command(text).value());
  EXPECT_EQ(encode_command(again), text);
  EXPECT_EQ(again.plan.grid, (Dim3{4, 2, 1}));
  EXPECT_EQ(std::get<double>(std::get<ScalarArg>(again.plan.args[1])), 2.0);
  EXPECT_EQ(std::get<std::int64_t>(std::get<ScalarArg>(again.plan.args[2])), -5);
  EXPECT_EQ(again.plan.schedule_seed, 0xFFFF'FFFF'FFFF'FFFFU);
  EXPECT_TRUE(again.plan.sanitize.race);
}

TEST(RunnerCommand, real_numbers_that_json_lacks_arrive) {
  LaunchPlan plan = sample_plan();
  plan.args = {ScalarArg(std::numeric_limits<double>::quiet_NaN()),
               ScalarArg(-std::numeric_limits<double>::infinity()), ScalarArg(0.1)};
  const auto again = decode_command(encode_command(BindCommand{plan, 4096}));
  ASSERT_TRUE(again);
  const auto& args = std::get<BindCommand>(*again).plan.args;
  EXPECT_TRUE(std::isnan(std::get<double>(std::get<ScalarArg>(args[0]))));
  EXPECT_EQ(std::get<double>(std::get<ScalarArg>(args[1])),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::get<double>(std::get<ScalarArg>(args[2])), 0.1);
}

TEST(RunnerCommand, every_kind_is_told_apart) {
  EXPECT_EQ(std::get<LoadCommand>(decode_command(encode_command(LoadCommand{"f"})).value()).entry,
            "f");
  EXPECT_EQ(std::get<TimeCommand>(decode_command(encode_command(TimeCommand{7})).value()).samples,
            7);
  EXPECT_TRUE(
      std::holds_alternative<RunCommand>(decode_command(encode_command(RunCommand{})).value()));
  EXPECT_FALSE(decode_command("{}"));
}

TEST(RunnerReply, refusal_carries_verdict_and_findings) {
  const Refused refused{.verdict = Crashed{.reason = "r"},
                        .findings = {{.kind = "race",
                                      .message = "m",
                                      .array = "tile",
                                      .index = -1,
                                      .place = {.thread = {1, 0, 0}, .line = 3, .is_write = true},
                                      .other = Place{}}}};
  const auto again = std::get<Refused>(decode_reply(encode_reply(refused)).value());
  EXPECT_EQ(name_of(again.verdict), "crashed");
  ASSERT_EQ(again.findings.size(), 1U);
  EXPECT_EQ(again.findings[0].array, "tile");
  EXPECT_EQ(again.findings[0].index, -1);
  EXPECT_EQ(again.findings[0].place.line, 3);
  EXPECT_TRUE(again.findings[0].other);
}

TEST(RunnerReply, resources_of_a_bound_kernel_read_back_as_written) {
  const Bound bound{KernelResources{.registers_per_thread = 32,
                                    .local_bytes_per_thread = 576,
                                    .dynamic_shared_bytes = 1024,
                                    .blocks_per_multiprocessor = 3,
                                    .occupancy = 0.75}};
  const std::string text = encode_reply(bound);
  const auto again = std::get<Bound>(decode_reply(text).value());
  EXPECT_EQ(encode_reply(again), text);
  EXPECT_EQ(again.resources.value().registers_per_thread, 32);
  EXPECT_EQ(again.resources->occupancy, 0.75);
  EXPECT_FALSE(std::get<Bound>(decode_reply(encode_reply(Bound{})).value()).resources);
}

TEST(RunnerReply, samples_read_back_exactly) {
  const auto again = std::get<Samples>(decode_reply(encode_reply(Samples{{1.25, 3e9}})).value());
  EXPECT_EQ(again.ns, (std::vector<double>{1.25, 3e9}));
}

TEST(RunnerReply, no_runner_praises_itself_or_blames_others) {
  for (const Verdict& verdict :
       {Verdict(Accepted{}), Verdict(ReferenceFailed{}), Verdict(WeakCheck{}), Verdict(TimedOut{}),
        Verdict(ImpossibleTime{})}) {
    const std::string text = encode_reply(Refused{.verdict = verdict, .findings = {}});
    EXPECT_FALSE(decode_reply(text)) << text;
  }
}

TEST(RunnerReply, anything_else_is_refused) {
  for (const std::string_view text :
       {"", "x", "[]", R"({"reply":"fine"})", R"({"reply":"samples","ns":["a"]})",
        R"({"reply":"bound","resources":{"registers_per_thread":"many"}})",
        R"({"reply":"refused","verdict":{"verdict":"accepted","details":{}},"findings":[]})",
        R"({"reply":"refused","verdict":{"verdict":"splendid","details":{}},"findings":[]})"}) {
    EXPECT_EQ(decode_reply(text).error().code(), ErrorCode::invalid_argument) << text;
  }
}

TEST(RunnerCommand, metrics_to_count_arrive) {
  const CountCommand command{.cupti = "/x/libcupti.so.13", .metrics = {"dram__bytes.sum"}};
  const auto again = std::get<CountCommand>(decode_command(encode_command(command)).value());
  EXPECT_EQ(again.cupti, command.cupti);
  EXPECT_EQ(again.metrics, command.metrics);
}

TEST(RunnerReply, what_was_counted_arrives) {
  const Counted counted{.chip = "GH100",
                        .passes = 17,
                        .values = {{"dram__bytes.sum", 4e9}, {"lts__t_sector_hit_rate.pct", 0.1}},
                        .missing = {}};
  const auto again = std::get<Counted>(decode_reply(encode_reply(counted)).value());
  EXPECT_EQ(again.chip, "GH100");
  EXPECT_EQ(again.passes, 17U);
  ASSERT_EQ(again.values.size(), 2U);
  EXPECT_EQ(again.values[1].metric, "lts__t_sector_hit_rate.pct");
  EXPECT_EQ(again.values[1].value, 0.1);
  const Counted none{.chip = {}, .passes = 0, .values = {}, .missing = "no CUPTI"};
  EXPECT_EQ(std::get<Counted>(decode_reply(encode_reply(none)).value()).missing, "no CUPTI");
}

TEST(RunnerReply, counters_that_nobody_can_have_read_are_refused) {
  const auto reply = [](const std::string& values) {
    return decode_reply(R"({"reply":"counted","chip":"GH100","passes":1,"missing":"","values":)" +
                        values + "}");
  };
  ASSERT_TRUE(reply(R"([["dram__bytes.sum",1]])"));
  for (const char* values :
       {R"([["dram__bytes.sum","1"]])", R"([["dram__bytes.sum",1e999]])", R"([["a b",1]])",
        R"([["x"]])", "7", R"([["dram__bytes.sum",null]])"}) {
    EXPECT_FALSE(reply(values)) << values;
  }
  std::string many = "[";
  for (int i = 0; i < 1001; ++i) many += R"(["dram__bytes.sum",1],)";
  many.back() = ']';
  EXPECT_FALSE(reply(many));
}

}  // namespace
}  // namespace assay::wire
