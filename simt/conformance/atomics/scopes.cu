// The _block and _system forms of every atomic that has them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kThreads = 64;

struct Cells {
  int add, sub, least, most, all, some, parity, exchanged, swapped;
  unsigned up, down;
  unsigned long long wide_add, wide_least, wide_most, wide_all, wide_some, wide_parity, wide_swap;
  float single;
  double twice;
};

static Cells initial() {
  Cells cells{};
  cells.least = 1000;
  cells.most = -1000;
  cells.all = -1;
  cells.down = 200;
  cells.wide_least = ~0ull;
  cells.wide_all = ~0ull;
  return cells;
}

static void check(const Cells& cells) {
  EXPECT_EQ(cells.add, 2016);
  EXPECT_EQ(cells.sub, -2016);
  EXPECT_EQ(cells.least, 0);
  EXPECT_EQ(cells.most, 63);
  EXPECT_EQ(cells.all, ~63);
  EXPECT_EQ(cells.some, 63);
  EXPECT_EQ(cells.parity, 0);
  EXPECT_TRUE(cells.exchanged >= 1 && cells.exchanged <= kThreads);
  EXPECT_TRUE(cells.swapped >= 1 && cells.swapped <= kThreads);
  EXPECT_EQ(cells.up, 64u % 11u);
  EXPECT_EQ(cells.down, 136u);
  EXPECT_EQ(cells.wide_add, 64ull << 33);
  EXPECT_EQ(cells.wide_least, 5ull);
  EXPECT_EQ(cells.wide_most, 68ull);
  EXPECT_EQ(cells.wide_all, ~63ull);
  EXPECT_EQ(cells.wide_some, 63ull << 32);
  EXPECT_EQ(cells.wide_parity, 0ull);
  EXPECT_TRUE(cells.wide_swap >= 1 && cells.wide_swap <= kThreads);
  EXPECT_EQ(cells.single, 32.0f);
  EXPECT_EQ(cells.twice, 8.0);
}

__global__ void system_forms(Cells* cells) {
  const int t = threadIdx.x;
  const auto wide = static_cast<unsigned long long>(t);
  atomicAdd_system(&cells->add, t);
  atomicSub_system(&cells->sub, t);
  atomicMin_system(&cells->least, t);
  atomicMax_system(&cells->most, t);
  atomicAnd_system(&cells->all, ~t);
  atomicOr_system(&cells->some, t);
  atomicXor_system(&cells->parity, t);
  atomicExch_system(&cells->exchanged, t + 1);
  atomicCAS_system(&cells->swapped, 0, t + 1);
  atomicInc_system(&cells->up, 10u);
  atomicDec_system(&cells->down, 500u);
  atomicAdd_system(&cells->wide_add, 1ull << 33);
  atomicMin_system(&cells->wide_least, wide + 5);
  atomicMax_system(&cells->wide_most, wide + 5);
  atomicAnd_system(&cells->wide_all, ~wide);
  atomicOr_system(&cells->wide_some, wide << 32);
  atomicXor_system(&cells->wide_parity, wide << 7);
  atomicCAS_system(&cells->wide_swap, 0ull, wide + 1);
  atomicAdd_system(&cells->single, 0.5f);
  atomicAdd_system(&cells->twice, 0.125);
}

CASE(system_scope) {
  Buffer<Cells> cells(std::vector<Cells>{initial()});
  system_forms<<<1, kThreads>>>(cells.ptr());
  check(cells.host()[0]);
}

__device__ void block_forms_on(Cells* cells) {
  const int t = threadIdx.x;
  const auto wide = static_cast<unsigned long long>(t);
  atomicAdd_block(&cells->add, t);
  atomicSub_block(&cells->sub, t);
  atomicMin_block(&cells->least, t);
  atomicMax_block(&cells->most, t);
  atomicAnd_block(&cells->all, ~t);
  atomicOr_block(&cells->some, t);
  atomicXor_block(&cells->parity, t);
  atomicExch_block(&cells->exchanged, t + 1);
  atomicCAS_block(&cells->swapped, 0, t + 1);
  atomicInc_block(&cells->up, 10u);
  atomicDec_block(&cells->down, 500u);
  atomicAdd_block(&cells->wide_add, 1ull << 33);
  atomicMin_block(&cells->wide_least, wide + 5);
  atomicMax_block(&cells->wide_most, wide + 5);
  atomicAnd_block(&cells->wide_all, ~wide);
  atomicOr_block(&cells->wide_some, wide << 32);
  atomicXor_block(&cells->wide_parity, wide << 7);
  atomicCAS_block(&cells->wide_swap, 0ull, wide + 1);
  atomicAdd_block(&cells->single, 0.5f);
  atomicAdd_block(&cells->twice, 0.125);
}

__global__ void block_forms(Cells* cells) {
  block_forms_on(&cells[blockIdx.x]);
}

CASE(block_scope_in_global_memory) {
  Buffer<Cells> cells(std::vector<Cells>(6, initial()));
  block_forms<<<6, kThreads>>>(cells.ptr());
  for (const Cells& each : cells.host()) check(each);
}

__global__ void block_forms_shared(Cells* out) {
  __shared__ Cells cells;
  if (threadIdx.x == 0) cells = out[blockIdx.x];
  __syncthreads();
  block_forms_on(&cells);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = cells;
}

CASE(block_scope_in_shared_memory) {
  Buffer<Cells> cells(std::vector<Cells>(3, initial()));
  block_forms_shared<<<3, kThreads>>>(cells.ptr());
  for (const Cells& each : cells.host()) check(each);
}
