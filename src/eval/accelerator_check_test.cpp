#include "eval/accelerator_check.hpp"

#include <cstddef>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor/bytes.hpp"
#include "tensor/testkit/host_accelerator.hpp"

namespace assay::eval {
namespace {

using tensor::testkit::HostAccelerator;
using testing::HasSubstr;

constexpr std::size_t kCases = 5;

TEST(AcceleratorCheck, every_kernel_gives_what_the_processor_gives) {
  HostAccelerator accelerator;
  const auto checked = check_accelerator(kCases, 7);
  EXPECT_TRUE(checked) << checked.error().message();
  for (const char* kernel :
       {"assay_fill", "assay_same", "assay_gather", "assay_compare", "assay_shortcut",
        "assay_generate", "assay_transform", "assay_nudge", "assay_vary_all", "assay_sum_hashes"}) {
    EXPECT_GT(accelerator.ran[kernel], 0) << kernel;
  }
  EXPECT_GT(accelerator.ran["assay_sort"] + accelerator.ran["assay_near_rows"], 0);
  EXPECT_EQ(accelerator.arrays(), 0);
}

TEST(AcceleratorCheck, one_that_does_not_do_its_work_is_found_out) {
  HostAccelerator accelerator;
  accelerator.lies = true;
  EXPECT_THAT(check_accelerator(1, 7).error().message(), HasSubstr("do not agree"));
}

TEST(AcceleratorCheck, where_it_fails_the_processor_does_the_work) {
  HostAccelerator accelerator;
  accelerator.broken = true;
  const auto checked = check_accelerator(2, 7);
  EXPECT_TRUE(checked) << checked.error().message();
}

TEST(AcceleratorCheck, nothing_is_checked_where_there_is_none) {
  EXPECT_THAT(check_accelerator(1, 7).error().message(), HasSubstr("no accelerator"));
}

}  // namespace
}  // namespace assay::eval
