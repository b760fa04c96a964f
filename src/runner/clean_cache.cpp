#include "runner/clean_cache.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/do.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::runner {
namespace {

namespace cuda = device::cuda;
using cuda::DeviceAttribute;
using cuda::Status;

constexpr std::size_t kQuad = 16;  // bytes that a thread reads at once
constexpr std::uint32_t kBlocksOfEach = 4;
constexpr std::uint32_t kThreads = 512;

/// Reads all quads and keeps their exclusive or; it stores one that nobody waits for, so that the
/// reads are not dropped. Here as text because the runner has no compiler beside the driver's.
constexpr const char* kProgram = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry assay_read(.param .u64 from, .param .u64 count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [from];
  ld.param.u64 %d2, [count];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %d3, %r4;
  mov.u32 %r5, %nctaid.x;
  mul.lo.u32 %r5, %r5, %r2;
  cvt.u64.u32 %d4, %r5;
  mov.u32 %r6, 0;
next:
  setp.ge.u64 %p1, %d3, %d2;
  @%p1 bra all;
  shl.b64 %d5, %d3, 4;
  add.u64 %d6, %d1, %d5;
  ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%d6];
  xor.b32 %r6, %r6, %r7;
  xor.b32 %r6, %r6, %r8;
  xor.b32 %r6, %r6, %r9;
  xor.b32 %r6, %r6, %r10;
  add.u64 %d3, %d3, %d4;
  bra next;
all:
  setp.ne.u32 %p2, %r6, 1;
  @%p2 bra end;
  st.global.u32 [%d1], %r6;
end:
  ret;
}
)";

int attribute(const device::CudaDriver& driver, DeviceAttribute which) {
  int value = 0;
  driver.device_attribute(&value, which, 0);
  return value;
}

}  // namespace

Result<CleanCache> CleanCache::open(const device::CudaDriver& driver) {
  CleanCache cache(driver);
  cuda::Module module = nullptr;
  ASSAY_DO(check(driver, driver.module_load_data(&module, kProgram), "load the reading kernel"));
  ASSAY_DO(check(driver, driver.module_get_function(&cache.read_, module, "assay_read"),
                 "cuModuleGetFunction"));
  cache.bytes_ = 2 * static_cast<std::size_t>(attribute(driver, DeviceAttribute::l2_cache_size)) /
                 kQuad * kQuad;
  if (cache.bytes_ == 0) return cache;
  ASSAY_DO(check(driver, driver.allocate(&cache.memory_, cache.bytes_), "cuMemAlloc"));
  // Zeros, so that the one value that would be stored never comes about.
  ASSAY_DO(
      check(driver, driver.set_words(cache.memory_, 0, cache.bytes_ / 4, nullptr), "cuMemsetD32"));
  ASSAY_DO(check(driver, driver.context_synchronize(), "cuCtxSynchronize"));
  return cache;
}

Status CleanCache::clean(cuda::Stream stream) {
  if (bytes_ == 0) return cuda::kSuccess;
  std::uint64_t quads = bytes_ / kQuad;
  std::array<void*, 2> parameters{&memory_, &quads};
  const auto multiprocessors =
      static_cast<std::uint32_t>(attribute(*driver_, DeviceAttribute::multiprocessor_count));
  const cuda::LaunchConfiguration configuration{
      .grid = {kBlocksOfEach * multiprocessors, 1, 1}, .block = {kThreads, 1, 1}, .stream = stream};
  return driver_->launch(&configuration, read_, parameters.data(), nullptr);
}

}  // namespace assay::runner
