#include "device/cupti.hpp"

#include <string>
#include <vector>

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

TEST(Cupti, calls_that_put_work_on_the_device_are_known_by_name) {
  for (const char* name :
       {"cuLaunchKernel", "cuLaunchKernelEx_ptsz", "cuGraphLaunch", "cuMemcpyHtoDAsync_v2",
        "cuMemsetD8Async", "cudaLaunchKernel_v7000", "cudaLaunchKernelExC_v11060",
        "cudaGraphLaunch_ptsz_v10000", "cudaMemcpyAsync_v3020", "cudaMemset2D_ptds_v7000",
        "__cudaLaunchKernel_v13000", "cuLaunchCooperativeKernel", "cudaMemcpyBatchAsync_v13000"}) {
    EXPECT_TRUE(puts_work_on_device(name)) << name;
  }
  for (const char* name : {"cuInit", "cuLaunchHostFunc", "cudaLaunchHostFunc_v10000",
                           "cuStreamSynchronize", "cudaMalloc_v3020", "cuMemAlloc_v2", "INVALID",
                           "cuGraphInstantiate", "cuGraphAddMemcpyNode", "", "___", "Memcpy"}) {
    EXPECT_FALSE(puts_work_on_device(name)) << name;
  }
}

TEST(Cupti, launch_calls_are_those_of_the_domain) {
  const FakeCupti fake;
  EXPECT_EQ(launch_calls(FakeCupti::table(), cupti::Domain::driver),
            std::vector<cupti::CallbackId>{FakeCupti::kLaunch});
  EXPECT_EQ(launch_calls(FakeCupti::table(), cupti::Domain::runtime),
            (std::vector<cupti::CallbackId>{2, FakeCupti::kLaunch}));
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
