#include "compile/ptxas_report.hpp"

#include <string>

#include <gtest/gtest.h>

namespace assay::compile {
namespace {

// As NVRTC 13.0 prints it; the frame of the second kernel is as nvcc does.
const std::string kLog =
    "kernel.cu(3): warning #177-D: variable \"a\" was declared but never referenced\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z2k2Pfi' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z2k2Pfi\n"
    "ptxas         .     576 bytes stack frame, 568 bytes spill stores, 704 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 576 bytes cumulative stack size\n"
    "ptxas info    : Function properties for _Z1kPfi\n"
    "    800 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 40 registers\n"
    "note: the last line\n";

TEST(PtxasReport, spills_are_those_of_the_kernel_asked_for) {
  const auto spilling = spills_in(kLog, "_Z2k2Pfi");
  ASSERT_TRUE(spilling);
  EXPECT_EQ(spilling->store_bytes, 568);
  EXPECT_EQ(spilling->load_bytes, 704);
  const auto fitting = spills_in(kLog, "_Z1kPfi");
  ASSERT_TRUE(fitting);
  EXPECT_EQ(fitting->store_bytes + fitting->load_bytes, 0);
}

TEST(PtxasReport, kernel_that_is_not_described_has_no_figures) {
  EXPECT_FALSE(spills_in(kLog, "_Z1k"));
  EXPECT_FALSE(spills_in("", "k"));
  EXPECT_FALSE(spills_in("ptxas info    : Function properties for k", "k"));
  EXPECT_FALSE(spills_in("ptxas info    : Function properties for k\n bytes spill stores\n", "k"));
  EXPECT_FALSE(
      spills_in("ptxas info    : Function properties for k\n"
                "99999999999 bytes spill stores, 0 bytes spill loads\n",
                "k"));
}

TEST(PtxasReport, quoted_source_is_not_taken_for_it) {
  EXPECT_FALSE(
      spills_in("    ptxas info : Function properties for k\n"
                " 8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n",
                "k"));
}

TEST(PtxasReport, people_see_the_log_without_it) {
  EXPECT_EQ(without_ptxas_report(kLog),
            "kernel.cu(3): warning #177-D: variable \"a\" was declared but never referenced\n"
            "note: the last line\n");
  EXPECT_EQ(without_ptxas_report("8 bytes stack frame, by itself\n"),
            "8 bytes stack frame, by itself\n");
}

}  // namespace
}  // namespace assay::compile
