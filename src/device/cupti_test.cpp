#include "device/cupti.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/cupti_api.hpp"
#include "device/testkit/fake_cupti.hpp"

namespace assay::device {
namespace {

TEST(Cupti, a_library_that_is_not_cupti_is_not_found) {
  const auto opened = Cupti::open("libm.so.6");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::not_found);
  EXPECT_NE(opened.error().message().find("CUPTI"), std::string::npos);
}

TEST(Cupti, a_refusal_names_the_function_and_the_reason) {
  const FakeCupti fake;
  EXPECT_TRUE(check(FakeCupti::table(), cupti::kSuccess, "cuptiActivityEnable"));
  const auto refused = check(FakeCupti::table(), cupti::kUnknown, "cuptiActivityEnable");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(refused.error().message(), "cuptiActivityEnable: CUPTI_ERROR_FAKE");
}

}  // namespace
}  // namespace assay::device
