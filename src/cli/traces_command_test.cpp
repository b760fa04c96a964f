#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "cli/commands.hpp"
#include "cli/profile_input.hpp"
#include "cli/trace_commands_testkit.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/nsys_fixture.hpp"

namespace assay::cli {
namespace {

class TraceCommands : public testing::Test {
 protected:
  DemoFolder folder_;
};

TEST_F(TraceCommands, analyze_gives_an_overview) {
  const CommandRun run = run_command({"analyze", "train.sqlite"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(run.output.find("ampere_sgemm_128x64_nn"), std::string::npos);
}

TEST_F(TraceCommands, analyze_writes_every_format) {
  for (const char* format : {"table", "json", "csv", "markdown", "html"}) {
    const CommandRun run =
        run_command({"analyze", "train.sqlite", "--report", "kernels", "--format", format});
    EXPECT_EQ(run.code, kSuccess) << format << run.errors;
    EXPECT_NE(run.output.find("sgemm"), std::string::npos) << format;
  }
  EXPECT_EQ(run_command({"analyze", "train.sqlite", "--format", "smoke"}).code, kUsage);
}

TEST_F(TraceCommands, analyze_writes_to_a_file) {
  const CommandRun run =
      run_command({"analyze", "train.sqlite", "-o", "report.json", "--format", "json"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_TRUE(run.output.empty());
  EXPECT_NE(read_file("report.json").value().find("\"kernels\""), std::string::npos);
}

TEST_F(TraceCommands, analyze_exits_with_1_where_the_profile_supports_no_answer) {
  EXPECT_EQ(run_command({"analyze", "train.sqlite", "--ask", "attention"}).code, kSuccess);
  const CommandRun run = run_command({"analyze", "flash.sqlite", "--ask", "attention"});
  EXPECT_EQ(run.code, kRejected);
  EXPECT_NE(run.output.find("fused"), std::string::npos);
}

TEST_F(TraceCommands, analyze_asks_about_the_iterations_that_are_named) {
  const CommandRun run =
      run_command({"analyze", "train.sqlite", "--ask", "iterations", "--iteration", "forward"});
  EXPECT_NE(run.output.find("'forward' ran 3 times"), std::string::npos) << run.output;
}

TEST_F(TraceCommands, analyze_compares_two_profiles) {
  const CommandRun run =
      run_command({"analyze", "infer.sqlite", "--ask", "class-shares", "--against", "train.sqlite",
                   "--range", "step *", "--against-range", "step *"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(run.output.find("optimizer"), std::string::npos);
}

TEST_F(TraceCommands, analyze_refuses_what_is_not_there) {
  EXPECT_EQ(run_command({"analyze", "none.sqlite"}).code, kUsage);
  EXPECT_EQ(run_command({"analyze", "train.sqlite", "--range", "nowhere"}).code, kUsage);
  EXPECT_EQ(run_command({"analyze", "train.sqlite", "--ask", "why?"}).code, kUsage);
  EXPECT_EQ(run_command({"analyze", "train.sqlite", "--ask", "attention", "--shape", "x"}).code,
            kUsage);
  EXPECT_EQ(
      run_command({"analyze", "train.sqlite", "--ask", "forward-time", "--measured", "soon"}).code,
      kUsage);
}

TEST_F(TraceCommands, analyze_takes_rules_of_classes_from_a_file) {
  std::ofstream("rules.txt") << "other *sgemm*\n";
  const CommandRun run = run_command({"analyze", "train.sqlite", "--report", "kernels", "--classes",
                                      "rules.txt", "--format", "csv"});
  EXPECT_NE(run.output.find("*sgemm* (rules.txt:1)"), std::string::npos);
}

TEST_F(TraceCommands, analyze_reads_a_pytorch_trace) {
  std::ofstream("trace.json") << trace::demo_kineto();
  const CommandRun run = run_command({"analyze", "trace.json", "--format", "csv"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(run.output.find("void gemm<float>(float*)"), std::string::npos);
  EXPECT_NE(run.errors.find("fills_without_api_row"), std::string::npos)
      << "what a CSV cannot hold is still said";
}

TEST_F(TraceCommands, analyze_reads_sums_and_says_what_they_cannot_tell) {
  std::ofstream("sums.csv")
      << "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100,300,3,100,sgemm\n";
  EXPECT_EQ(run_command({"analyze", "sums.csv"}).code, kSuccess);
  EXPECT_EQ(run_command({"analyze", "sums.csv", "--ask", "idle"}).code, kUsage);
}

TEST_F(TraceCommands, analyze_hands_kernels_on_to_ncu) {
  const CommandRun script =
      run_command({"analyze", "train.sqlite", "--top-kernels", "2", "--emit", "ncu"});
  EXPECT_EQ(script.code, kSuccess);
  EXPECT_NE(script.output.find("--kernel-name 'regex:^ampere_sgemm_128x64_nn$'"),
            std::string::npos);
  EXPECT_NE(script.output.find("python train.py --steps 3"), std::string::npos);
  EXPECT_NE(run_command({"analyze", "train.sqlite", "--emit", "yaml"}).output.find("launch_skip:"),
            std::string::npos);
  EXPECT_NE(run_command({"analyze", "train.sqlite", "--top-kernels", "1"}).output.find("Skip"),
            std::string::npos);
}

TEST_F(TraceCommands, analyze_hands_on_what_ncu_is_to_collect) {
  const CommandRun run = run_command({"analyze", "train.sqlite", "--top-kernels", "1", "--emit",
                                      "ncu", "--ncu-set", "basic", "--range", "forward"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(run.output.find("--set basic"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("--nvtx-include '[step 0/forward'"), std::string::npos) << run.output;
  EXPECT_EQ(run_command({"analyze", "train.sqlite", "--emit", "ncu", "--ncu-set", "all"}).code,
            kUsage);
}

TEST_F(TraceCommands, short_names_are_shown_everywhere) {
  const std::string full = "void at::native::";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"analyze", "train.sqlite"},
                                             {"analyze", "train.sqlite", "--ask", "besides-matmul"},
                                             {"analyze", "train.sqlite", "--top-kernels", "8"},
                                             {"diff", "train.sqlite", "slower.sqlite"}}) {
    std::vector<std::string> with_names = arguments;
    with_names.insert(with_names.end(), {"--format", "csv", "--names", "short"});
    const CommandRun run = run_command(with_names);
    EXPECT_EQ(run.code, kSuccess) << run.errors;
    EXPECT_EQ(run.output.find(full), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("softmax_warp_forward"), std::string::npos) << run.output;
  }
}

TEST_F(TraceCommands, a_device_without_a_known_peak_is_told_how_to_give_one) {
  const CommandRun run = run_command({"analyze", "train.sqlite", "--device", "Riva 128", "--mfu",
                                      "counted:flop=1e9,range=forward"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_NE(run.errors.find("--peak-tflops"), std::string::npos) << run.errors;
}

TEST_F(TraceCommands, analyze_writes_the_plan_beside_the_commands) {
  const CommandRun run = run_command(
      {"analyze", "train.sqlite", "--top-kernels", "2", "--emit", "ncu", "-o", "kernels.sh"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(read_file("kernels.sh").value().find("ncu --target-processes"), std::string::npos);
  EXPECT_NE(read_file("kernels.yaml").value().find("launch_skip:"), std::string::npos);
}

TEST_F(TraceCommands, analyze_measures_utilisation_of_ranges) {
  const std::string model = "layers=2,hidden=768,heads=12,ffn=3072,ffn_kind=gelu";
  const CommandRun run =
      run_command({"analyze", "train.sqlite", "--model", model, "--dtype", "tf32", "--mfu",
                   "forward:batch=4,tokens=512,range=forward", "--mfu",
                   "counted:flop=1e9,range=backward", "--format", "csv"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(run.output.find("forward,forward,"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("backward,counted,"), std::string::npos) << run.output;
  const CommandRun shapeless =
      run_command({"analyze", "train.sqlite", "--mfu", "forward:tokens=1,range=x"});
  EXPECT_EQ(shapeless.code, kUsage);
  EXPECT_NE(shapeless.errors.find("counted:flop="), std::string::npos) << shapeless.errors;
  EXPECT_EQ(run_command({"analyze", "train.sqlite", "--mfu", "counted:flop=1e9"}).code, kUsage);
}

TEST_F(TraceCommands, analyze_lists_the_devices_it_knows_with_their_sources) {
  const CommandRun run = run_command({"analyze", "--list-devices", "--format", "csv"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(run.output.find("H100"), std::string::npos);
  EXPECT_NE(run.output.find("datasheet"), std::string::npos);
  EXPECT_EQ(run_command({"analyze"}).code, kUsage);
}

TEST_F(TraceCommands, analyze_reads_counters) {
  EXPECT_NE(run_command({"analyze", "kernels.ncu-rep"}).output.find("nvjet"), std::string::npos);
  EXPECT_EQ(run_command({"analyze", "kernels.ncu-rep", "--mfu", "counted"}).code, kSuccess);
  EXPECT_EQ(run_command({"analyze", "kernels.ncu-rep", "--ask", "idle"}).code, kUsage);
}

TEST_F(TraceCommands, analyze_cuts_tables_for_people_alone) {
  const CommandRun shown = run_command({"analyze", "train.sqlite", "--limit", "2"});
  EXPECT_NE(shown.output.find("The first 2 of 8 rows"), std::string::npos);
  const CommandRun page = run_command({"analyze", "train.sqlite", "--format", "html"});
  EXPECT_EQ(page.output.find("The first"), std::string::npos);
}

TEST_F(TraceCommands, diff_judges_conditions_on_counters) {
  EXPECT_EQ(
      run_command({"diff", "kernels.ncu-rep", "kernels.ncu-rep", "--fail-if", "kernel_time > +5%"})
          .code,
      kSuccess);
  EXPECT_EQ(
      run_command({"diff", "kernels.ncu-rep", "kernels.ncu-rep", "--fail-if", "kernel_time > 1ns"})
          .code,
      kRejected);
  EXPECT_EQ(run_command({"diff", "kernels.ncu-rep", "train.sqlite"}).code, kUsage);
}

TEST_F(TraceCommands, diff_exits_with_1_where_a_condition_holds) {
  EXPECT_EQ(run_command({"diff", "train.sqlite", "slower.sqlite"}).code, kSuccess);
  EXPECT_EQ(
      run_command({"diff", "train.sqlite", "slower.sqlite", "--fail-if", "kernel_time > +5%"}).code,
      kRejected);
  EXPECT_EQ(
      run_command({"diff", "train.sqlite", "train.sqlite", "--fail-if", "kernel_time > +5%"}).code,
      kSuccess);
}

TEST_F(TraceCommands, diff_refuses_conditions_it_cannot_judge) {
  EXPECT_EQ(run_command({"diff", "train.sqlite", "train.sqlite", "--fail-if", "speed"}).code,
            kUsage);
  EXPECT_EQ(
      run_command({"diff", "train.sqlite", "train.sqlite", "--fail-if", "range_time:\"x\" > 1ms"})
          .code,
      kUsage);
}

TEST(ParseDuration, takes_the_units_people_write) {
  EXPECT_EQ(parse_duration("77.6ms").value().count(), 77'600'000);
  EXPECT_EQ(parse_duration("2").value().count(), 2'000'000'000);
  EXPECT_EQ(parse_duration("300us").value().count(), 300'000);
  for (const char* text : {"", "ms", "-1s", "3 fortnights", "1e30s"}) {
    EXPECT_EQ(parse_duration(text).error().code(), ErrorCode::invalid_argument) << text;
  }
}

TEST(NsysTool, is_the_one_configured) {
  EXPECT_EQ(nsys_tool("/my/nsys").nsys, "/my/nsys");
  EXPECT_FALSE(nsys_tool("/my/nsys").run({"/nonexistent/nsys", "export"}).has_value());
}

TEST_F(TraceCommands, utilisation_leaves_warm_up_out_and_says_so) {
  trace::NsysFixture fixture;
  fixture.gpu(0, "NVIDIA H100 80GB HBM3");
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::int64_t took = i == 0 ? 50'000'000 : 1'000'000;
    const std::int64_t at = i * 100'000'000;
    fixture.range({.start = at, .end = at + took + 10'000, .name = "forward"});
    fixture.launch({.call_start = at + 10,
                    .call_end = at + 20,
                    .start = at + 30,
                    .end = at + 30 + took,
                    .name = "sgemm"});
  }
  fixture.write("slow_start.sqlite");
  const CommandRun run =
      run_command({"analyze", "slow_start.sqlite", "--mfu", "counted:flop=98.9e9,range=forward"});
  EXPECT_NE(run.output.find("98.90 TFLOP/s"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("1 of warm-up left out, 3 runs counted"), std::string::npos)
      << run.output;
}

}  // namespace
}  // namespace assay::cli
