#include "runner/cuda_session.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "model/io_contract.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"

namespace assay::runner {
namespace {

namespace cuda = device::cuda;

/// What the fake GPU was asked for; plain functions have nowhere else to keep it.
struct Seen {
  cuda::Status launch_status = cuda::kSuccess;
  cuda::Status sync_status = cuda::kSuccess;
  int launches = 0;
  int flushes = 0;
  int restores = 0;
  int poisons = 0;
  int dynamic_shared = 0;
  std::pair<int, std::size_t> occupancy_of;  // block size and dynamic shared memory
  cuda::Status occupancy_status = cuda::kSuccess;
  std::uint32_t attributes = 0;
  std::vector<std::uint64_t> arguments;
  std::size_t allocated = 0;
  std::vector<std::pair<std::uint64_t, std::size_t>> copies;  // from or to which address, bytes
};
Seen seen;

cuda::Status launch(const cuda::LaunchConfiguration* configuration, cuda::Function,
                    void** parameters, void**) {
  ++seen.launches;
  seen.attributes = configuration->attribute_count;
  std::uint64_t pointer = 0;
  std::memcpy(&pointer, parameters[0], sizeof pointer);
  seen.arguments = {pointer};
  return seen.launch_status;
}

cuda::Status device_attribute(int* value, cuda::DeviceAttribute which, cuda::Device) {
  using enum cuda::DeviceAttribute;
  *value = which == l2_cache_size                    ? 1024
           : which == warp_size                      ? 32
           : which == max_threads_per_multiprocessor ? 2048
                                                     : 227 * 1024;
  return cuda::kSuccess;
}

cuda::Status function_attribute(int* value, cuda::FunctionAttribute which, cuda::Function) {
  using enum cuda::FunctionAttribute;
  *value = which == local_size_bytes        ? 576
           : which == shared_size_bytes     ? 4096
           : which == const_size_bytes      ? 64
           : which == max_threads_per_block ? 1024
                                            : 16;
  return cuda::kSuccess;
}

device::CudaDriver fake_driver() {
  device::CudaDriver d{};
  d.error_name = [](int status, const char** name) {
    *name = status == cuda::kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return 0;
  };
  d.error_string = [](int, const char** text) {
    *text = "it failed";
    return 0;
  };
  d.device_get = [](cuda::Device* device, int) {
    *device = 0;
    return 0;
  };
  d.device_attribute = device_attribute;
  d.primary_context_set_flags = [](cuda::Device, unsigned) { return 0; };
  d.primary_context_retain = [](cuda::Context*, cuda::Device) { return 0; };
  d.context_set_current = [](cuda::Context) { return 0; };
  d.context_synchronize = [] { return 0; };
  d.stream_create = [](cuda::Stream*, unsigned) { return 0; };
  d.stream_synchronize = [](cuda::Stream) { return seen.sync_status; };
  d.event_create = [](cuda::Event*, unsigned) { return 0; };
  d.event_record = [](cuda::Event, cuda::Stream) { return 0; };
  d.event_elapsed = [](float* milliseconds, cuda::Event, cuda::Event) {
    *milliseconds = 0.25F;
    return 0;
  };
  d.allocate = [](cuda::DevicePointer* address, std::size_t size) {
    *address = 0x9000;
    seen.allocated = size;
    return 0;
  };
  d.copy_to_host = [](void*, cuda::DevicePointer from, std::size_t size) {
    seen.copies.emplace_back(from, size);
    return 0;
  };
  d.copy_to_device = [](cuda::DevicePointer to, const void*, std::size_t size) {
    seen.copies.emplace_back(to, size);
    return 0;
  };
  d.set_words = [](cuda::DevicePointer, unsigned, std::size_t, cuda::Stream) {
    ++seen.flushes;
    return 0;
  };
  d.set_bytes = [](cuda::DevicePointer, unsigned char, std::size_t, cuda::Stream) {
    ++seen.poisons;
    return 0;
  };
  d.copy_on_device = [](cuda::DevicePointer, cuda::DevicePointer, std::size_t, cuda::Stream) {
    ++seen.restores;
    return 0;
  };
  d.module_load_data = [](cuda::Module*, const void*) { return 0; };
  d.module_get_function = [](cuda::Function* function, cuda::Module, const char* name) {
    *function = reinterpret_cast<cuda::Function>(&seen);
    const std::string_view wanted(name);
    return wanted == "k" || wanted == "assay_read" ? cuda::kSuccess : cuda::kNotFound;
  };
  d.function_attribute = function_attribute;
  d.max_active_blocks = [](int* blocks, cuda::Function, int block_size, std::size_t shared) {
    *blocks = 3;
    seen.occupancy_of = {block_size, shared};
    return seen.occupancy_status;
  };
  d.function_set_attribute = [](cuda::Function, cuda::FunctionAttribute, int value) {
    seen.dynamic_shared = value;
    return 0;
  };
  d.function_parameter = [](cuda::Function, std::size_t index, std::size_t*, std::size_t* size) {
    *size = index == 0 ? 8 : 4;
    return index < 2 ? cuda::kSuccess : cuda::kInvalidValue;
  };
  d.launch = launch;
  d.granularity = [](std::size_t* bytes, const cuda::AllocationProperties*, int) {
    *bytes = 4096;
    return 0;
  };
  d.import_allocation = [](cuda::AllocationHandle*, void*, int) { return 0; };
  d.release_allocation = [](cuda::AllocationHandle) { return 0; };
  d.reserve_address = [](cuda::DevicePointer* address, std::size_t, std::size_t,
                         cuda::DevicePointer, unsigned long long) {
    *address = 0x100000;
    return 0;
  };
  d.free_address = [](cuda::DevicePointer, std::size_t) { return 0; };
  d.map = [](cuda::DevicePointer, std::size_t, std::size_t, cuda::AllocationHandle,
             unsigned long long) { return 0; };
  d.unmap = [](cuda::DevicePointer, std::size_t) { return 0; };
  d.set_access = [](cuda::DevicePointer, std::size_t, const cuda::AccessDescription*, std::size_t) {
    return 0;
  };
  return d;
}

class CudaSessionTest : public testing::Test {
 protected:
  CudaSessionTest() { seen = {}; }

  RunnerReply send(const RunnerCommand& command) {
    descriptors_.clear();
    descriptors_.emplace_back(::memfd_create("module", MFD_CLOEXEC));
    return std::visit(session_, command);
  }
  RunnerReply bind(LaunchPlan plan) {
    EXPECT_TRUE(std::holds_alternative<Done>(send(LoadCommand{"k"})));
    return send(BindCommand{std::move(plan), 4096});
  }
  static LaunchPlan plan() {
    return {.args = {ArenaPart{.name = "x", .offset = 256, .size = 64}, ScalarArg(2.5)},
            .restores = {{.from = 1024, .to = 256, .size = 64}},
            .poisons = {{.offset = 512, .size = 64}}};
  }
  static std::string reason(const RunnerReply& reply) {
    const auto* refused = std::get_if<Refused>(&reply);
    return refused == nullptr ? "" : reason_of(refused->verdict);
  }

  device::CudaDriver driver_ = fake_driver();
  std::vector<UniqueFd> descriptors_;
  CudaSession session_ = CudaSession::open(driver_, descriptors_).value();
};

TEST_F(CudaSessionTest, kernel_gets_the_address_of_its_tensor) {
  ASSERT_TRUE(std::holds_alternative<Bound>(bind(plan())));
  EXPECT_TRUE(std::holds_alternative<Done>(send(RunCommand{})));
  EXPECT_EQ(seen.arguments, std::vector<std::uint64_t>{0x100000 + 256});
  EXPECT_EQ(seen.flushes, 0);
}

TEST_F(CudaSessionTest, under_a_sanitizer_every_array_is_an_allocation_of_its_own) {
  LaunchPlan checked = plan();
  checked.sanitize.memory = true;
  ASSERT_TRUE(std::holds_alternative<Bound>(bind(checked)));
  EXPECT_EQ(seen.allocated, 64U);
  EXPECT_TRUE(std::holds_alternative<Done>(send(RunCommand{})));
  EXPECT_EQ(seen.arguments, std::vector<std::uint64_t>{0x9000});
  EXPECT_EQ(seen.copies, (std::vector<std::pair<std::uint64_t, std::size_t>>{{0x100000 + 256, 64},
                                                                             {0x9000, 64}}));
}

TEST_F(CudaSessionTest, what_nobody_wrote_stays_unwritten_under_a_sanitizer) {
  LaunchPlan checked = plan();
  checked.sanitize.init = true;
  std::get<ArenaPart>(checked.args[0]).initialised = false;
  ASSERT_TRUE(std::holds_alternative<Bound>(bind(checked)));
  EXPECT_TRUE(std::holds_alternative<Done>(send(RunCommand{})));
  EXPECT_TRUE(seen.copies.empty());
}

TEST_F(CudaSessionTest, each_timed_run_starts_from_restored_data_and_a_cold_cache) {
  ASSERT_TRUE(std::holds_alternative<Bound>(bind(plan())));
  const auto samples = std::get<Samples>(send(TimeCommand{3}));
  EXPECT_EQ(samples.ns, (std::vector<double>{250000, 250000, 250000}));
  EXPECT_EQ(seen.launches, 3);
  EXPECT_EQ(seen.flushes, 3);
  EXPECT_EQ(seen.restores, 3);
  EXPECT_EQ(seen.poisons, 3);
}

TEST_F(CudaSessionTest, faults_of_the_kernel_carry_cudas_own_names) {
  ASSERT_TRUE(std::holds_alternative<Bound>(bind(plan())));
  seen.sync_status = cuda::kIllegalAddress;
  EXPECT_NE(reason(send(RunCommand{})).find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
  seen.sync_status = cuda::kOutOfMemory;
  const RunnerReply reply = send(TimeCommand{1});
  EXPECT_TRUE(std::holds_alternative<OutOfMemory>(std::get<Refused>(reply).verdict));
}

TEST_F(CudaSessionTest, launches_that_cannot_be_say_why) {
  ASSERT_TRUE(std::holds_alternative<Bound>(bind(plan())));
  seen.launch_status = cuda::kInvalidValue;
  EXPECT_NE(reason(send(RunCommand{})).find("1x1x1 blocks"), std::string::npos);
  seen.launch_status = cuda::kLaunchOutOfResources;
  EXPECT_NE(reason(send(RunCommand{})).find("16 registers"), std::string::npos);
}

TEST_F(CudaSessionTest, large_shared_memory_is_asked_for_and_too_much_refused) {
  LaunchPlan large = plan();
  large.shared_mem_bytes = 100 * 1024;
  ASSERT_TRUE(std::holds_alternative<Bound>(bind(large)));
  EXPECT_EQ(seen.dynamic_shared, 100 * 1024);
  large.shared_mem_bytes = 227 * 1024;
  EXPECT_NE(reason(bind(large)).find("shared memory"), std::string::npos);
}

TEST_F(CudaSessionTest, binding_says_what_the_kernel_takes_of_the_gpu) {
  LaunchPlan wide = plan();
  wide.block = {20, 16, 1};
  wide.shared_mem_bytes = 1024;
  const auto resources = std::get<Bound>(bind(wide)).resources.value();
  EXPECT_EQ(resources.registers_per_thread, 16);
  EXPECT_EQ(resources.local_bytes_per_thread, 576);
  EXPECT_EQ(resources.static_shared_bytes, 4096);
  EXPECT_EQ(resources.dynamic_shared_bytes, 1024);
  EXPECT_EQ(resources.constant_bytes, 64);
  EXPECT_EQ(resources.max_threads_per_block, 1024);
  EXPECT_EQ(seen.occupancy_of, (std::pair<int, std::size_t>{320, 1024}));
  EXPECT_EQ(resources.blocks_per_multiprocessor, 3);
  EXPECT_DOUBLE_EQ(resources.occupancy, 3 * 10 / 64.0);
}

TEST_F(CudaSessionTest, block_that_fits_nowhere_has_no_occupancy) {
  seen.occupancy_status = cuda::kInvalidValue;
  const auto resources = std::get<Bound>(bind(plan())).resources.value();
  EXPECT_EQ(resources.registers_per_thread, 16);
  EXPECT_EQ(resources.blocks_per_multiprocessor, 0);
  EXPECT_EQ(resources.occupancy, 0);
}

TEST_F(CudaSessionTest, cooperative_launches_and_clusters_are_attributes) {
  LaunchPlan both = plan();
  both.cooperative = true;
  both.cluster = Dim3{2, 1, 1};
  ASSERT_TRUE(std::holds_alternative<Bound>(bind(both)));
  ASSERT_TRUE(std::holds_alternative<Done>(send(RunCommand{})));
  EXPECT_EQ(seen.attributes, 2U);
}

TEST_F(CudaSessionTest, commands_out_of_order_and_misfits_are_refused) {
  EXPECT_NE(reason(send(RunCommand{})), "");
  EXPECT_NE(reason(send(BindCommand{plan(), 4096})), "");
  EXPECT_NE(reason(send(LoadCommand{"other"})), "");
  LaunchPlan short_of_one = plan();
  short_of_one.args.pop_back();
  EXPECT_NE(reason(bind(short_of_one)).find("2 arguments"), std::string::npos);
}

TEST_F(CudaSessionTest, gpu_without_a_context_is_an_error_of_ours) {
  driver_.primary_context_retain = [](cuda::Context*, cuda::Device) { return 999; };
  EXPECT_FALSE(CudaSession::open(driver_, descriptors_));
}

TEST_F(CudaSessionTest, says_why_it_counted_nothing) {
  ASSERT_TRUE(std::holds_alternative<Bound>(bind(plan())));
  const auto reply = send(CountCommand{.cupti = "/no/such/libcupti.so", .metrics = {"a.sum"}});
  const auto* counted = std::get_if<Counted>(&reply);
  ASSERT_NE(counted, nullptr) << reason(reply);
  EXPECT_FALSE(counted->missing.empty());
  EXPECT_TRUE(counted->values.empty());
}

}  // namespace
}  // namespace assay::runner
