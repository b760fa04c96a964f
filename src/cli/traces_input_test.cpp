// What `assay analyze` and `assay diff` do with files that are no profile, hold nothing, or cannot
// be compared.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/os.hpp"
#include "cli/commands.hpp"
#include "cli/trace_commands_testkit.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/ncu/rep_fixture.hpp"
#include "trace/ncu/sample_report.hpp"

namespace assay::cli {
namespace {

class TraceInput : public testing::Test {
 protected:
  static void write(const std::string& name, const std::string& content) {
    std::ofstream(name, std::ios::binary) << content;
  }

  /// Expects that a file is refused, and that the reason holds `reason`.
  static void expect_refused(const std::string& file, const std::string& reason) {
    const CommandRun run = run_command({"analyze", file});
    EXPECT_EQ(run.code, kUsage) << file << run.output;
    EXPECT_NE(run.errors.find(reason), std::string::npos) << file << ": " << run.errors;
    EXPECT_TRUE(run.output.empty()) << run.output;
  }

  static void without_kernels(const std::string& name) {
    trace::NsysFixture fixture;
    for (std::int64_t i = 0; i < 3; ++i) {
      fixture.range({.start = i * 100, .end = i * 100 + 50, .name = "stage"});
    }
    fixture.write(name);
  }

  DemoFolder folder_;
};

TEST_F(TraceInput, that_is_no_profile_is_named_for_what_it_is) {
  write("foreign.json", R"({"foo":1})");
  expect_refused("foreign.json", "no traceEvents");
  write("other.json", R"({"traceEvents":[{"ph":"X","cat":"browser","ts":1,"dur":1,"name":"x"}]})");
  expect_refused("other.json", "another tool");
  write("ncu.txt", "==PROF== Connected\n  Section: GPU Speed Of Light\n  Metric Name  Unit\n");
  expect_refused("ncu.txt", "ncu prints for people");
  write("empty.sqlite", "");
  expect_refused("empty.sqlite", "is empty");
  std::filesystem::create_directory("run.sqlite");
  expect_refused("run.sqlite", "is a folder");
}

TEST_F(TraceInput, that_is_corrupt_is_refused) {
  const std::string whole = read_file("train.sqlite").value();
  write("cut.sqlite", whole.substr(0, whole.size() / 2));
  expect_refused("cut.sqlite", "corrupt");
  std::string scrambled = whole;
  for (std::size_t i = 4096; i < scrambled.size(); i += 7) scrambled[i] = '\x5a';
  write("scrambled.sqlite", scrambled);
  expect_refused("scrambled.sqlite", "corrupt");
  const std::string report = read_file("kernels.ncu-rep").value();
  write("cut.ncu-rep", report.substr(0, report.size() / 2));
  expect_refused("cut.ncu-rep", "cut.ncu-rep");
  const std::string json(trace::demo_kineto());
  write("cut.json", json.substr(0, json.size() / 2));
  expect_refused("cut.json", "corrupt");
}

TEST_F(TraceInput, that_is_a_pipe_is_refused) {
  ASSERT_EQ(::mkfifo("pipe.json", 0600), 0);
  expect_refused("pipe.json", "is a pipe");
}

TEST_F(TraceInput, that_holds_nothing_is_refused) {
  trace::NsysFixture().write("nothing.sqlite");
  expect_refused("nothing.sqlite", "holds no events");
  trace::NcuReport none = trace::testing::sample_report();
  none.launches.clear();
  write("none.ncu-rep", trace::testing::write_ncu_rep(none));
  expect_refused("none.ncu-rep", "holds no launches");
}

TEST_F(TraceInput, that_is_packed_is_read) {
  if (std::system("gzip train.sqlite") != 0) GTEST_SKIP() << "no gzip here";
  const CommandRun run = run_command({"analyze", "train.sqlite.gz", "--format", "csv"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(run.output.find("ampere_sgemm_128x64_nn"), std::string::npos);
}

TEST_F(TraceInput, without_kernels_passes_no_gate) {
  without_kernels("bare.sqlite");
  for (const char* condition : {"kernel_time > +5%", "gpu_busy > +5%", "kernel_count < -5%"}) {
    for (const auto& [a, b] :
         {std::pair{"train.sqlite", "bare.sqlite"}, std::pair{"bare.sqlite", "train.sqlite"},
          std::pair{"bare.sqlite", "bare.sqlite"}}) {
      const CommandRun run = run_command({"diff", a, b, "--fail-if", condition});
      EXPECT_EQ(run.code, kUsage) << a << ' ' << b << ' ' << condition << run.output;
      EXPECT_NE(run.errors.find("hold"), std::string::npos) << run.errors;
    }
  }
  EXPECT_EQ(run_command({"diff", "bare.sqlite", "bare.sqlite"}).code, kSuccess)
      << "ranges are compared";
}

TEST_F(TraceInput, unlike_the_other_is_refused) {
  without_kernels("bare.sqlite");
  const CommandRun run = run_command({"diff", "train.sqlite", "bare.sqlite"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_NE(run.errors.find("bare.sqlite holds no kernels"), std::string::npos) << run.errors;
  EXPECT_EQ(run_command({"diff", "train.sqlite", "kernels.ncu-rep"}).code, kUsage);
}

}  // namespace
}  // namespace assay::cli
