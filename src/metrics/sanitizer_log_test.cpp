#include "metrics/sanitizer_log.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/finding.hpp"
#include "model/io_contract.hpp"

namespace assay::metrics {
namespace {

using ::testing::HasSubstr;

TEST(SanitizerLog, an_access_has_kind_thread_block_line_and_address) {
  const SanitizerLog log = read_sanitizer_log(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at scale(const float *, float *, int)+0x70 in kernel.cu:25\n"
      "=========     by thread (232,1,0) in block (3,0,2)\n"
      "=========     Address 0x7f5c92600fa0 is out of bounds\n"
      "=========     and is 1 bytes after the nearest allocation at 0x7f5c92600000 of size 4,000 "
      "bytes\n"
      "=========\n"
      "========= ERROR SUMMARY: 1 error\n");
  EXPECT_TRUE(log.complete);
  EXPECT_EQ(log.errors, 1U);
  ASSERT_EQ(log.findings.size(), 1U);
  const Finding& found = log.findings.front();
  EXPECT_EQ(found.kind, "out_of_bounds");
  EXPECT_EQ(found.place.thread, (Dim3{232, 1, 0}));
  EXPECT_EQ(found.place.block, (Dim3{3, 0, 2}));
  EXPECT_EQ(found.place.line, 25);
  EXPECT_TRUE(found.place.is_write);
  EXPECT_EQ(found.address, 0x7f5c92600fa0U);
  EXPECT_THAT(found.message, HasSubstr("nearest allocation at 0x7f5c92600000"));
}

TEST(SanitizerLog, what_the_program_printed_between_the_lines_is_passed_over) {
  const SanitizerLog log = read_sanitizer_log(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __shared__ read of size 8 bytes\n"
      "hello\n"
      "=========     at f()+0x50\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "=========     Address 0x1 is misaligned\n"
      "========= \n"
      "========= Program hit CUDA_ERROR_UNKNOWN (error 999) on CUDA API call to cuCtxSynchronize.\n"
      "========= ERROR SUMMARY: 2 errors\n");
  ASSERT_EQ(log.findings.size(), 1U);
  EXPECT_EQ(log.findings[0].kind, "misaligned");
  EXPECT_FALSE(log.findings[0].place.line);
  EXPECT_FALSE(log.findings[0].place.is_write);
}

TEST(SanitizerLog, a_hazard_has_both_threads_and_both_lines) {
  const SanitizerLog log = read_sanitizer_log(
      "========= Error: Potential RAW hazard detected at __shared__ 0x8c in block (7,0,0) :\n"
      "=========     Write Thread (35,0,0) at sum(int *, int *)+0x90 in /tmp/a b/race.cu:44\n"
      "=========     Read Thread (32,0,0) at sum(int *, int *)+0x120 in /tmp/a b/race.cu:56\n"
      "=========     Current Value : 35\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
  EXPECT_TRUE(log.complete);
  ASSERT_EQ(log.findings.size(), 1U);
  const Finding& race = log.findings.front();
  EXPECT_EQ(race.kind, "race");
  EXPECT_EQ(race.address, 0x8cU);
  EXPECT_EQ(race.place.thread, (Dim3{35, 0, 0}));
  EXPECT_EQ(race.place.block, (Dim3{7, 0, 0}));
  EXPECT_EQ(race.place.line, 44);
  EXPECT_TRUE(race.place.is_write);
  ASSERT_TRUE(race.other);
  EXPECT_EQ(race.other->thread, (Dim3{32, 0, 0}));
  EXPECT_EQ(race.other->line, 56);
  EXPECT_FALSE(race.other->is_write);
}

TEST(SanitizerLog, kinds_are_those_of_the_cpu_device) {
  const auto kind_of = [](const std::string& title) {
    const auto log = read_sanitizer_log("========= " + title + "\n");
    return log.findings.empty() ? "" : log.findings.front().kind;
  };
  EXPECT_EQ(kind_of("Uninitialized __global__ memory read of size 4 bytes"), "uninitialised_read");
  EXPECT_EQ(kind_of("Barrier error detected. Divergent thread(s) in block."), "barrier_divergence");
  EXPECT_EQ(kind_of("Barrier error detected. Divergent thread(s) in warp"), "warp_misuse");
  EXPECT_EQ(kind_of("Barrier error detected. Invalid arguments"), "warp_misuse");
  EXPECT_EQ(kind_of("Barrier error detected. Missing wait."), "barrier_misuse");
  EXPECT_EQ(kind_of("Invalid __global__ atomic of size 4 bytes"), "wild_access");
  EXPECT_EQ(kind_of("Leaked 4,092 bytes at 0x7b95b4000000"), "");
}

TEST(SanitizerLog, the_same_line_is_told_once) {
  std::string text;
  for (int thread = 0; thread < 5; ++thread) {
    text +=
        "========= Uninitialized __global__ memory read of size 4 bytes\n"
        "=========     at f()+0x10 in k.cu:7\n"
        "=========     by thread (" +
        std::to_string(thread) + ",0,0) in block (0,0,0)\n=========\n";
  }
  EXPECT_EQ(read_sanitizer_log(text).findings.size(), 1U);
}

TEST(SanitizerLog, of_many_findings_a_few_are_kept) {
  std::string text;
  for (int line = 1; line < 50; ++line) {
    text +=
        "========= Invalid __global__ read of size 4 bytes\n=========     at f()+0x10 in k.cu:" +
        std::to_string(line) + "\n=========\n";
  }
  EXPECT_EQ(read_sanitizer_log(text).findings.size(), kMostFindings);
}

TEST(SanitizerLog, without_its_summary_it_is_not_complete) {
  EXPECT_FALSE(read_sanitizer_log("========= COMPUTE-SANITIZER\n").complete);
  EXPECT_FALSE(read_sanitizer_log("").complete);
  EXPECT_FALSE(read_sanitizer_log("========= Invalid __global__ read of size 4 bytes").complete);
}

TEST(SanitizerLog, what_is_no_number_is_left_out) {
  const SanitizerLog log = read_sanitizer_log(
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at f()+0x10 in k.cu:99999999999999999999999\n"
      "=========     by thread (1,-2,x) in block (99999999999,0,0)\n"
      "=========     Address 0xfffffffffffffffffffffffff is out of bounds\n");
  ASSERT_EQ(log.findings.size(), 1U);
  EXPECT_FALSE(log.findings[0].place.line);
  EXPECT_FALSE(log.findings[0].address);
  EXPECT_EQ(log.findings[0].place.thread, (Dim3{0, 0, 0}));
}

}  // namespace
}  // namespace assay::metrics
