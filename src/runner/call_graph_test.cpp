#include "runner/call_graph.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::runner {
namespace {

namespace cuda = device::cuda;

std::vector<std::string> asked;  // of the driver; plain functions have nowhere else to keep it

device::CudaDriver fake_driver() {
  device::CudaDriver driver{};
  driver.error_name = [](cuda::Status, const char** name) { return *name = "CUDA_ERROR", 0; };
  driver.error_string = [](cuda::Status, const char** text) { return *text = "it failed", 0; };
  driver.begin_capture = [](cuda::Stream, int) { return asked.emplace_back("begin"), 0; };
  driver.end_capture = [](cuda::Stream, cuda::Graph*) { return asked.emplace_back("end"), 0; };
  driver.instantiate_graph = [](cuda::GraphExecution*, cuda::Graph, unsigned long long) {
    return asked.emplace_back("instantiate"), 0;
  };
  driver.launch_graph = [](cuda::GraphExecution, cuda::Stream) {
    return asked.emplace_back("launch"), 0;
  };
  return driver;
}

TEST(CallGraph, captures_a_call_once_and_launches_it_as_often_as_it_is_asked_to) {
  asked.clear();
  const device::CudaDriver driver = fake_driver();
  const auto graph =
      CallGraph::capture(driver, nullptr, [] { return asked.emplace_back("call"), 0; });
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->launch(nullptr), cuda::kSuccess);
  EXPECT_EQ(graph->launch(nullptr), cuda::kSuccess);
  EXPECT_EQ(asked,
            (std::vector<std::string>{"begin", "call", "end", "instantiate", "launch", "launch"}));
}

TEST(CallGraph, leaves_no_stream_in_capture_where_the_call_fails) {
  asked.clear();
  const device::CudaDriver driver = fake_driver();
  const auto graph = CallGraph::capture(driver, nullptr, [] { return cuda::kIllegalAddress; });
  ASSERT_FALSE(graph);
  EXPECT_NE(graph.error().message().find("capture the call as a CUDA graph"), std::string::npos);
  EXPECT_EQ(asked, (std::vector<std::string>{"begin", "end"}));
}

}  // namespace
}  // namespace assay::runner
