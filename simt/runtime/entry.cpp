// The functions kernels and loaders call by name.
#include <cstdio>
#include <cstdlib>

#include "assay/simt/runtime_api.hpp"
#include "block.hpp"
#include "error_codes.hpp"
#include "launch.hpp"
#include "limits.hpp"
#include "pool.hpp"

__thread assay::simt::Context assay_simt_context = {};
__thread uint3 threadIdx = {};
__thread uint3 blockIdx = {};
__thread uint3 blockDim = {};
__thread uint3 gridDim = {};

namespace assay::simt {
namespace {

Block* running_block() {
  return static_cast<Block*>(assay_simt_context.scheduler);
}

int refused(assay_simt_report& report, int status, const char* why, const LaunchSpec& spec) {
  assay_simt_finding& finding = report.findings[0];
  finding = {};
  finding.kind = ASSAY_SIMT_INVALID_LAUNCH;
  finding.place.line = spec.line;
  std::snprintf(finding.message, sizeof finding.message, "%s: %s", spec.name, why);
  report.finding_count = 1;
  report.finding_total = 1;
  report.status = status;
  return status;
}

/// Why hardware would refuse the launch, or null. The limits are those of compute capability 9.0.
const char* refusal(const LaunchSpec& spec, const assay_simt_launch_options& options, int& status) {
  const dim3& grid = spec.grid;
  const dim3& block = spec.block;
  status = kInvalidConfiguration;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return "a grid dimension is zero";
  if (block.x == 0 || block.y == 0 || block.z == 0) return "a block dimension is zero";
  if (block.x > 1024 || block.y > 1024 || block.z > 64) return "a block dimension is too large";
  if (std::uint64_t{block.x} * block.y * block.z > kMaxThreads)
    return "more than 1024 threads in a block";
  if (grid.x > 2147483647U || grid.y > 65535 || grid.z > 65535)
    return "a grid dimension is too large";
  status = kInvalidValue;
  const std::uint64_t limit =
      options.max_shared_bytes != 0 ? options.max_shared_bytes : kMaxSharedBytesOptIn;
  if (spec.shared_bytes > limit) return "more dynamic shared memory than a block may have";
  return nullptr;
}

}  // namespace
}  // namespace assay::simt

using namespace assay::simt;

extern "C" {

int assay_simt_launch(const LaunchSpec* spec, const assay_simt_launch_options* options,
                      assay_simt_report* report) {
  static constexpr assay_simt_launch_options kDefaults{};
  const assay_simt_launch_options& chosen = options != nullptr ? *options : kDefaults;
  report->status = 0;
  report->finding_count = 0;
  report->finding_total = 0;
  if (running_block() != nullptr) {
    return refused(*report, kNotSupported, "a kernel cannot launch another on this device", *spec);
  }
  int status = 0;
  if (const char* why = refusal(*spec, chosen, status)) {
    return refused(*report, status, why, *spec);
  }
  if (chosen.cooperative != 0 &&
      std::uint64_t{spec->grid.x} * spec->grid.y * spec->grid.z > kMaxCooperativeBlocks) {
    return refused(*report, kCooperativeLaunchTooLarge, "too many blocks for a cooperative launch",
                   *spec);
  }
  if (chosen.sanitize != 0 && !spec->instrumented) {
    return refused(*report, kNotSupported, "the module was compiled without instrumentation",
                   *spec);
  }
  Launch launch(*spec, chosen, *report);
  Pool::instance().run(launch);
  if (launch.sanitizer() != nullptr) launch.sanitizer()->finish();
  return report->status;
}

bool assay_simt_next_thread() {
  return running_block()->next_thread();
}

int assay_simt_barrier(BarrierOp op, int predicate, unsigned line) {
  Block* block = running_block();
  return block != nullptr ? block->barrier(op, predicate, line) : 0;
}

std::uint64_t assay_simt_warp(WarpOp op, unsigned mask, std::uint64_t value, unsigned argument,
                              unsigned line) {
  Block* block = running_block();
  return block != nullptr ? block->warp_operation(op, mask, value, argument, line) : 0;
}

unsigned assay_simt_active_mask(unsigned line) {
  Block* block = running_block();
  return block != nullptr ? block->active_mask(line) : 1;
}

void assay_simt_grid_barrier(unsigned line) {
  if (Block* block = running_block()) block->grid_barrier(line);
}

void assay_simt_ran_through() {
  if (Block* block = running_block()) block->note_ran_through();
}

bool assay_simt_is_cooperative() {
  Block* block = running_block();
  return block != nullptr && block->launch().cooperative();
}

void assay_simt_yield() {
  if (Block* block = running_block()) block->yield();
}

void assay_simt_access(void* address, std::size_t bytes, unsigned flags, const void* caller) {
  if (Block* block = running_block())
    block->access(static_cast<char*>(address), bytes, flags, caller);
}

void assay_simt_name_dynamic_shared(const char* name, unsigned element_size) {
  Block* block = running_block();
  if (block == nullptr || block->launch().sanitizer() == nullptr) return;
  block->launch().sanitizer()->name_dynamic_shared(name, element_size);
}

assay_simt_space assay_simt_space_of(const void* address) {
  Block* block = running_block();
  return block != nullptr ? block->space_of(static_cast<const char*>(address))
                          : ASSAY_SIMT_SPACE_GLOBAL;
}

void assay_simt_trap(unsigned line) {
  if (Block* block = running_block()) {
    block->fail(finding_here(ASSAY_SIMT_TRAP, line, "the kernel executed __trap()"),
                kLaunchFailure);
  }
  std::abort();
}

void assay_simt_assert_fail(const char* expression, const char* file, unsigned line,
                            const char* function) {
  Block* block = running_block();
  if (block == nullptr) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
               file, line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
               threadIdx.z, expression);
  block->fail(finding_here(ASSAY_SIMT_ASSERT, line, "assertion `%s` failed", expression), kAssert);
}

const char* assay_simt_error_name(int status) {
  return cudaGetErrorName(static_cast<cudaError_t>(status));
}
}
