#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "device/cupti_api.hpp"
#include "tracer/batch.hpp"
#include "tracer/buffer_pool.hpp"
#include "tracer/call_names.hpp"
#include "tracer/call_pairs.hpp"
#include "tracer/find_cupti.hpp"
#include "tracer/gate.hpp"
#include "tracer/kernel_name.hpp"
#include "tracer/settings.hpp"
#include "tracer/wide_text.hpp"

namespace assay::tracer {
namespace {

namespace cupti = device::cupti;

TEST(KernelName, is_demangled_and_shortened_as_nsight_systems_does) {
  EXPECT_EQ(demangled_name("_Z3addILi4EfEvPT0_"), "void add<4, float>(float*)");
  EXPECT_EQ(demangled_name("triton_poi_fused_0"), "triton_poi_fused_0");
  EXPECT_EQ(demangled_name(nullptr), "(unnamed)");
  EXPECT_EQ(short_name("void at::native::add<4, at::Tensor (*)(int)>(float*, int)"), "add");
  EXPECT_EQ(short_name("void (anonymous namespace)::softmax<float, 3>(float*)"), "softmax");
  EXPECT_EQ(short_name("void cutlass::Kernel2<a::b<(c::d)3>>(a::b<(c::d)3>::Params)"), "Kernel2");
  EXPECT_EQ(short_name("triton_poi_fused_0"), "triton_poi_fused_0");
}

TEST(WideText, is_written_as_utf8) {
  EXPECT_EQ(to_utf8(L"a\u00e9\u20ac\U0001F600"), "a\u00e9\u20ac\U0001F600");
}

TEST(CallNames, leave_out_what_only_asks) {
  EXPECT_TRUE(is_wanted_of_runtime("cudaLaunchKernel_v7000"));
  EXPECT_TRUE(is_wanted_of_runtime("cudaStreamSynchronize_v3020"));
  EXPECT_FALSE(is_wanted_of_runtime("cudaGetDevice_v3020"));
  EXPECT_TRUE(is_wanted_of_driver("cuLaunchKernelEx"));
  EXPECT_FALSE(is_wanted_of_driver("cuDeviceGetAttribute"));
}

cupti::CallRecord call(cupti::Kind kind, std::uint32_t correlation, std::uint64_t start = 0) {
  return {.kind = kind, .start = start, .end = start + 1, .correlation = correlation};
}

TEST(CallPairs, drop_the_drivers_half_even_where_it_came_a_batch_earlier) {
  CallPairs pairs;
  auto first = pairs.sort({call(cupti::Kind::driver_call, 1), call(cupti::Kind::runtime_call, 1),
                           call(cupti::Kind::driver_call, 2), call(cupti::Kind::driver_call, 3)});
  ASSERT_EQ(first.size(), 1U) << "the driver's own wait a batch";
  auto second = pairs.sort({call(cupti::Kind::runtime_call, 2)});
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0].correlation, 2U);
  EXPECT_EQ(second[0].kind, cupti::Kind::runtime_call);
  EXPECT_EQ(second[1].correlation, 3U) << "a launch by the driver alone";
  EXPECT_TRUE(pairs.sort({call(cupti::Kind::driver_call, 2)}).empty());
  EXPECT_TRUE(pairs.rest().empty()) << "2 was the runtime's, one batch before";
}

TEST(BufferPool, lends_no_more_than_it_may_and_the_same_again) {
  BufferPool pool(2 * BufferPool::kSize);
  std::uint8_t* first = pool.lend();
  std::uint8_t* second = pool.lend();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(pool.lend(), nullptr);
  EXPECT_EQ(pool.refused(), 1U);
  std::uint8_t strange = 0;
  pool.take_back(&strange, 1);
  pool.take_back(first, 100);
  pool.take_back(second, BufferPool::kSize + 1);
  EXPECT_TRUE(pool.is_pressed());
  auto filled = pool.filled();
  ASSERT_EQ(filled.size(), 2U);
  EXPECT_EQ(filled[0].records().size(), 100U);
  EXPECT_EQ(filled[1].records().size(), BufferPool::kSize);
  pool.emptied(std::move(filled));
  EXPECT_NE(pool.lend(), nullptr);
}

TEST(Gate, gives_work_to_the_call_that_launched_it) {
  Gate gate({.epoch = 1000, .range = "step"});
  gate.range_opened("other", "", 1, 1005);
  gate.range_opened("step", "", 2, 1010);
  gate.range_closed(2, 1020);
  gate.range_opened("step", "", 3, 1030);
  EXPECT_TRUE(gate.is_open_at(1015));
  EXPECT_FALSE(gate.is_open_at(1035)) << "the first alone is recorded";
  Batch batch;
  for (const std::uint32_t id : {1U, 2U, 3U}) {
    batch.kernels.push_back({.kind = cupti::Kind::kernel, .start = 2000, .correlation = id});
  }
  batch.calls = {call(cupti::Kind::runtime_call, 1, 1008),
                 call(cupti::Kind::runtime_call, 2, 1012)};
  gate.filter(batch, false);
  ASSERT_EQ(batch.kernels.size(), 1U);
  EXPECT_EQ(batch.kernels[0].correlation, 2U);
  Batch next;
  next.calls = {call(cupti::Kind::runtime_call, 3, 1018)};
  gate.filter(next, false);
  ASSERT_EQ(next.kernels.size(), 1U) << "its call came a batch later";
  Batch last;
  gate.filter(last, true);
  EXPECT_TRUE(last.kernels.empty());
}

TEST(Gate, knows_names_that_hold_the_sign_of_a_domain) {
  for (const char* asked :
       {"LLM@prefill", "LLM@prefill@LLM", "LLM@prefill@*", "LLM\\@prefill", "LLM\\@prefill@LLM"}) {
    Gate gate({.range = asked});
    gate.range_opened("LLM@decode_all", "LLM", 1, 10);
    EXPECT_FALSE(gate.is_open_at(15)) << asked;
    gate.range_opened("LLM@prefill", "LLM", 2, 20);
    EXPECT_TRUE(gate.is_open_at(25)) << asked;
  }
}

TEST(Gate, looks_at_the_domain_and_the_clock) {
  Gate in_domain({.range = "step@mine"});
  in_domain.range_opened("step", "theirs", 1, 5);
  EXPECT_FALSE(in_domain.is_open_at(6));
  in_domain.range_opened("step", "mine", 2, 7);
  EXPECT_TRUE(in_domain.is_open_at(8));
  Gate late({.epoch = 1'000'000'000,
             .delay = std::chrono::milliseconds(1),
             .duration = std::chrono::milliseconds(2)});
  EXPECT_FALSE(late.is_open_at(1'000'500'000));
  EXPECT_TRUE(late.is_open_at(1'002'000'000));
  EXPECT_FALSE(late.is_open_at(1'003'500'000));
}

TEST(FindCupti, looks_beside_what_the_process_has_loaded) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(testing::TempDir()) / ("find_cupti_" + std::to_string(::getpid()));
  const fs::path packages = root / "lib/python3.12/site-packages";
  fs::create_directories(packages / "nvidia/cu13/lib");
  std::ofstream(packages / "nvidia/cu13/lib/libcupti.so.13") << "x";
  const std::string line =
      "7f00-7f01 r-xp 00000000 08:01 42   " + (packages / "torch/lib/libtorch.so").string();
  EXPECT_EQ(find_cupti("nothing here\n" + line + "\n"),
            packages / "nvidia/cu13/lib/libcupti.so.13");
  fs::remove_all(root);
}

}  // namespace
}  // namespace assay::tracer
