#include "launch.hpp"

#include <cstdarg>
#include <cstdio>

#include "random.hpp"

namespace assay::simt {
namespace {

std::uint64_t volume(const dim3& size) {
  return std::uint64_t{size.x} * size.y * size.z;
}

}  // namespace

Launch::Launch(const LaunchSpec& spec, const assay_simt_launch_options& options,
               assay_simt_report& report)
    : spec_(spec), options_(options), blocks_(volume(spec.grid)), report_(report) {
  constexpr unsigned kAccesses =
      ASSAY_SIMT_SANITIZE_MEMORY | ASSAY_SIMT_SANITIZE_RACE | ASSAY_SIMT_SANITIZE_INIT;
  if (checks(kAccesses)) sanitizer_ = std::make_unique<Sanitizer>(*this);
}

std::uint64_t Launch::claim(std::uint64_t wanted, std::uint64_t& first) {
  if (failed()) return 0;
  first = next_.fetch_add(wanted, std::memory_order_relaxed);
  if (first >= blocks_) return 0;
  return first + wanted <= blocks_ ? wanted : blocks_ - first;
}

uint3 Launch::block_index(std::uint64_t position) const {
  const std::uint64_t index =
      options_.seed == 0 ? position : permuted(position, blocks_, options_.seed);
  const dim3& grid = spec_.grid;
  return {static_cast<unsigned>(index % grid.x), static_cast<unsigned>(index / grid.x % grid.y),
          static_cast<unsigned>(index / grid.x / grid.y)};
}

void Launch::report(const assay_simt_finding& finding, int status) {
  const std::lock_guard lock(report_mutex_);
  ++report_.finding_total;
  if (report_.finding_count < ASSAY_SIMT_MAX_FINDINGS) {
    report_.findings[report_.finding_count++] = finding;
  }
  if (status != 0) {
    if (report_.status == 0) report_.status = status;
    failed_.store(true, std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);  // wakes who waits at a grid barrier
    generation_.notify_all();
  }
}

void Launch::arrive_at_grid_barrier() {
  const std::lock_guard lock(grid_mutex_);
  ++at_barrier_;
  release_grid_if_all_arrived();
}

void Launch::block_done() {
  const std::lock_guard lock(grid_mutex_);
  ++done_;
  if (at_barrier_ > 0) release_grid_if_all_arrived();
}

void Launch::release_grid_if_all_arrived() {
  if (at_barrier_ + done_ < blocks_) return;
  at_barrier_ = 0;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
}

assay_simt_place place_here(unsigned line) {
  assay_simt_place place{};
  place.thread[0] = threadIdx.x;
  place.thread[1] = threadIdx.y;
  place.thread[2] = threadIdx.z;
  place.block[0] = blockIdx.x;
  place.block[1] = blockIdx.y;
  place.block[2] = blockIdx.z;
  place.line = line;
  return place;
}

assay_simt_finding finding_here(assay_simt_finding_kind kind, unsigned line, const char* message,
                                ...) {
  assay_simt_finding finding{};
  finding.kind = kind;
  finding.place = place_here(line);
  va_list arguments;
  va_start(arguments, message);
  std::vsnprintf(finding.message, sizeof finding.message, message, arguments);
  va_end(arguments);
  return finding;
}

}  // namespace assay::simt
