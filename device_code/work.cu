// What the GPU does with tensors for the judge; src/tensor/accelerator.hpp says for whom.
#include "work.hpp"

using namespace assay::work;

namespace {

__device__ Wide start() { return Wide{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ Wide stride() { return Wide{gridDim.x} * blockDim.x; }

}  // namespace

extern "C" __global__ void assay_fill(FillTask task, Word*) {
  unsigned char* const bytes = static_cast<unsigned char*>(task.to);
  const Word pair = task.pattern | task.pattern << 16U;
  const Wide quads = reinterpret_cast<Wide>(bytes) % sizeof(uint4) == 0 ? task.size / sizeof(uint4) : 0;
  uint4* const wide = reinterpret_cast<uint4*>(bytes);
  for (Wide i = start(); i < quads; i += stride()) wide[i] = {pair, pair, pair, pair};
  for (Wide i = quads * sizeof(uint4) + start(); i < task.size; i += stride()) {
    bytes[i] = static_cast<unsigned char>(i % 2 == 0 ? task.pattern : task.pattern >> 8U);
  }
}

extern "C" __global__ void assay_same(SameTask task, Word* differ) {
  const auto* const a = static_cast<const unsigned char*>(task.a);
  const auto* const b = static_cast<const unsigned char*>(task.b);
  const bool aligned = (reinterpret_cast<Wide>(a) | reinterpret_cast<Wide>(b)) % sizeof(uint4) == 0;
  const Wide quads = aligned ? task.size / sizeof(uint4) : 0;
  bool same = true;
  for (Wide i = start(); i < quads; i += stride()) {
    const uint4 x = reinterpret_cast<const uint4*>(a)[i];
    const uint4 y = reinterpret_cast<const uint4*>(b)[i];
    same = same && x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w;
  }
  for (Wide i = quads * sizeof(uint4) + start(); i < task.size; i += stride()) same = same && a[i] == b[i];
  if (!same) *differ = 1;
}

extern "C" __global__ void assay_gather(GatherTask task, double* numbers) {
  for (Wide i = start(); i < task.count; i += stride()) numbers[i] = read(task.kind, task.from, i * task.step);
}

/// A block for each stretch.
extern "C" __global__ void __launch_bounds__(kLanes) assay_compare(CompareTask task, Stretch* stretches) {
  __shared__ Stretch parts[kLanes];
  const Word lane = threadIdx.x;
  const Wide from = blockIdx.x * kStretch;
  const Wide to = from + kStretch < task.count ? from + kStretch : task.count;
  Stretch mine = nothing_found();
  for (Wide i = from + lane; i < to; i += kLanes) {
    mine.sum = plus(mine.sum, compare_element(task.kind, task, i, mine));
  }
  parts[lane] = mine;
  __syncthreads();
  for (Word half = kLanes / 2; half > 0; half /= 2) {
    if (lane < half) {
      add_part(parts[lane], parts[lane + half]);
      parts[lane].sum = plus(parts[lane].sum, parts[lane + half].sum);
    }
    __syncthreads();
  }
  if (lane == 0) stretches[blockIdx.x] = parts[0];
}

extern "C" __global__ void assay_shortcut(ShortcutTask task, ShortcutFound* found) {
  ShortcutFound mine;
  for (Wide i = start(); i < task.count; i += stride()) try_shortcut(task.kind, task, i, mine);
  if (mine.failures > 0) atomicAdd(&found->failures, mine.failures);
  if (mine.changed > 0) atomicAdd(&found->changed, mine.changed);
}

extern "C" __global__ void assay_generate(GenerateTask task, Word*) {
  const Word each = elements_of_block(task.content);
  for (Wide i = start(); i < (task.count + each - 1) / each; i += stride()) generate_block(task.kind, task, i);
}

extern "C" __global__ void assay_transform(TransformTask task, Word*) {
  for (Wide i = start(); i < task.count; i += stride()) transform_element(task.kind, task, i);
}

/// A block for each row: its one number is read before any is written.
extern "C" __global__ void assay_near_rows(RowsTask task, Word*) {
  for (Wide row = blockIdx.x; row < task.rows; row += gridDim.x) {
    if (!is_near_row(task, row)) continue;
    const double one = read(task.kind, task.array, row * task.width + center_of_row(task, row));
    __syncthreads();
    for (Wide i = threadIdx.x; i < task.width; i += blockDim.x) {
      draw_near(task.kind, task, row * task.width + i, one);
    }
    __syncthreads();
  }
}

extern "C" __global__ void assay_sort(SortTask task, Word*) {
  const Wide pairs = task.rows.rows * pairs_of_row(task);
  for (Wide i = start(); i < pairs; i += stride()) sort_pair(task.rows.kind, task, i);
}

extern "C" __global__ void assay_nudge(NudgeTask task, Word*) {
  for (Wide i = start(); i < task.count; i += stride()) nudge_element(task.kind, task, i);
}

extern "C" __global__ void assay_vary_all(VaryTask task, Word*) {
  for (Wide i = start(); i < task.count; i += stride()) vary_element(task, i);
}

extern "C" __global__ void assay_sum_hashes(FingerprintTask task, Wide* sum) {
  Wide mine = 0;
  for (Wide i = start(); i < task.count; i += stride()) mine += hash_element(task, i);
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xFFFFFFFFU, mine, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}
