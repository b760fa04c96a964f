#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"

namespace assay::trace {
namespace {

/// Two processes, each with a kernel on what it calls GPU 0.
NsysFixture& add_two_ranks(NsysFixture& fixture) {
  fixture.gpu(0, "NVIDIA A100").gpu(1, "NVIDIA H100");
  for (const std::uint64_t pid : {100U, 200U}) {
    fixture.launch({.call_start = 1,
                    .call_end = 2,
                    .start = 10,
                    .end = 20,
                    .name = "k",
                    .pid = pid,
                    .tid = pid});
  }
  return fixture.sql("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid)");
}

std::set<std::int64_t> devices_of(const Trace& trace) {
  std::set<std::int64_t> devices;
  for (const std::uint32_t queue : trace.kernels.queue) devices.insert(trace.queues[queue].device);
  return devices;
}

TEST(NsysDevices, ranks_that_each_see_one_gpu_have_one_each) {
  NsysFixture fixture;
  add_two_ranks(fixture).sql("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 100), (0, 0, 200)");
  const Trace trace = read_fixture(fixture);
  EXPECT_EQ(devices_of(trace), (std::set<std::int64_t>{0, 1}));
  const std::uint32_t process = trace.processes[0].pid == 100 ? 0 : 1;
  for (const Queue& queue : trace.queues) EXPECT_EQ(queue.device, queue.process == process ? 1 : 0);
  EXPECT_EQ(trace.capture.gpus.at(1).id, 1);
  EXPECT_EQ(trace.capture.gpus.at(1).name, "NVIDIA H100");
}

TEST(NsysDevices, processes_that_share_a_gpu_share_it) {
  NsysFixture fixture;
  add_two_ranks(fixture).sql("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 100), (0, 0, 200)");
  EXPECT_EQ(devices_of(read_fixture(fixture)), (std::set<std::int64_t>{0}));
}

TEST(NsysDevices, a_process_that_is_not_listed_leaves_numbers_as_they_are) {
  NsysFixture fixture;
  add_two_ranks(fixture).sql("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 100), (0, 0, 300)");
  EXPECT_EQ(devices_of(read_fixture(fixture)), (std::set<std::int64_t>{0}));
}

TEST(NsysDevices, the_only_gpu_that_is_visible_keeps_its_name) {
  NsysFixture fixture;
  add_two_ranks(fixture).sql("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 100), (1, 0, 200)");
  const Trace trace = read_fixture(fixture);
  ASSERT_EQ(trace.capture.gpus.size(), 1U);
  EXPECT_EQ(trace.capture.gpus[0].id, 0);
  EXPECT_EQ(trace.capture.gpus[0].name, "NVIDIA H100");
}

}  // namespace
}  // namespace assay::trace
