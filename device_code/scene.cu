// What runs on the GPU around a timed call; src/gate/stage.hpp says in which order.
#include "scene.hpp"

using namespace assay::scene;

namespace {

__device__ Wide start() { return Wide{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ Wide stride() { return Wide{gridDim.x} * blockDim.x; }

/// Adds what the block's threads found to one sum. One atomic operation a block: more of them would
/// take longer than all the rest.
__device__ void add_to(Wide* sum, Wide mine) {
  __shared__ Wide warps[32];
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xFFFFFFFFU, mine, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  mine = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xFFFFFFFFU, mine, step);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

/// Writes the lines of 128 bytes that are late, or those that are not. A warp looks at up to 32 lines
/// at once and takes those it must, some at a time: the memory's latency is long.
template <class Bits, class Vary>
__device__ void write_varied(Bits* to, const Bits* from, Wide count, bool late, Wide* sum,
                             Wide sum_seed, Vary vary) {
  constexpr Word kWarp = 32;
  constexpr Word kInLine = 128 / sizeof(Bits);
  constexpr int kAtOnce = 4;
  const Word lane = threadIdx.x % kWarp;
  const Wide lines = (count + kInLine - 1) / kInLine;
  const Wide warps = stride() / kWarp;
  const Wide fair = lines / warps;
  const Wide group = fair < kAtOnce ? kAtOnce : fair < kWarp ? fair : kWarp;
  Wide mine = 0;
  for (Wide first = start() / kWarp * group; first < lines; first += warps * group) {
    const Wide own = first + lane;
    const bool is_mine = lane < group && own < lines && is_late(own * 128) == late;
    Word wanted = __ballot_sync(0xFFFFFFFFU, is_mine);
    while (wanted != 0) {
      Wide line[kAtOnce];
      int taken = 0;
      for (; taken < kAtOnce && wanted != 0; ++taken) {
        line[taken] = first + __ffs(static_cast<int>(wanted)) - 1;
        wanted &= wanted - 1;
      }
      for (Word in_line = lane; in_line < kInLine; in_line += kWarp) {
        Bits values[kAtOnce];
        for (int k = 0; k < kAtOnce; ++k) {
          if (k < taken && line[k] * kInLine + in_line < count) {
            values[k] = from[line[k] * kInLine + in_line];
          }
        }
        for (int k = 0; k < kAtOnce; ++k) {
          const Wide i = line[k] * kInLine + in_line;
          if (k >= taken || i >= count) continue;
          const Bits bits = vary(values[k], i);
          to[i] = bits;
          if (!late) mine += hashed(static_cast<Word>(bits), sum_seed, i);
        }
      }
    }
  }
  if (!late) add_to(sum, mine);
}

__device__ Wide read_element(const void* data, Word size, Wide at) {
  switch (size) {
    case 1: return static_cast<const unsigned char*>(data)[at];
    case 2: return static_cast<const unsigned short*>(data)[at];
    case 4: return static_cast<const Word*>(data)[at];
    default: return static_cast<const Wide*>(data)[at];
  }
}

}  // namespace

/// The layout of a tensor, its dimensions as they lie in memory, the outermost first.
struct Layout {
  Word dimensions;  // 0: dense in the order of its indices
  Wide sizes[8];
  Wide in_memory[8];  // strides, in elements
  Wide by_index[8];   // the same in the order of indices
};

/// The worker's key enters device memory, and the last round's entries leave.
extern "C" __global__ void assay_begin(Ledger* ledger, const volatile Wide* page_key) {
  for (Word i = threadIdx.x; i < kMostCalls; i += blockDim.x) ledger->entries[i] = Entry{};
  if (threadIdx.x == 0) ledger->key = *page_key;
}

extern "C" __global__ void assay_vary(Ledger* ledger, Word call, void* to, const void* from,
                                      Wide count, Variation how, Strength strength,
                                      Word late) {
  Entry* const entry = &ledger->entries[call];
  const Wide key = ledger->key;
  const Wide before = call == 0 ? 0 : ledger->entries[call - 1].outputs;
  const Wide seed = late != 0 ? late_seed(key, *entry) : early_seed(key, call, before);
  Wide* const sum = &entry->inputs;
  switch (how) {
    case Variation::float32:
      return write_varied(static_cast<Word*>(to), static_cast<const Word*>(from), count, late != 0,
                          sum, key, [=](Word x, Wide i) { return varied32(x, strength, seed, i); });
    case Variation::float64:
      return write_varied(static_cast<Wide*>(to), static_cast<const Wide*>(from), count, late != 0,
                          sum, key, [=](Wide x, Wide i) { return varied64(x, strength, seed, i); });
    case Variation::float16:
    case Variation::bfloat16: {
      const bool brain = how == Variation::bfloat16;
      return write_varied(static_cast<unsigned short*>(to),
                          static_cast<const unsigned short*>(from), count, late != 0, sum, key,
                          [=](unsigned short x, Wide i) { return varied16(x, brain, strength, seed, i); });
    }
    case Variation::copied:
      return write_varied(static_cast<unsigned char*>(to), static_cast<const unsigned char*>(from),
                          count, late != 0, sum, key, [](unsigned char x, Wide) { return x; });
  }
}

/// What no answer can be, in every byte. A kernel, since the driver fills memory of another process
/// by a road that takes 13 us longer.
extern "C" __global__ void assay_blank(unsigned char* to, Wide size) {
  const Wide quads = reinterpret_cast<Wide>(to) % sizeof(uint4) == 0 ? size / sizeof(uint4) : 0;
  uint4* const wide = reinterpret_cast<uint4*>(to);
  for (Wide i = start(); i < quads; i += stride()) wide[i] = {~0U, ~0U, ~0U, ~0U};
  for (Wide i = quads * sizeof(uint4) + start(); i < size; i += stride()) to[i] = 0xFF;
}

/// Reads one buffer as large as the cache and writes another, which leaves nothing else in it, and
/// all of it dirty, as after any program. What it writes, the next sweep reads.
extern "C" __global__ void __launch_bounds__(512)
    assay_sweep(Ledger* ledger, Word call, uint4* to, const uint4* from, Wide count) {
  Entry* const entry = &ledger->entries[call];
  const Wide seed = sweep_seed(ledger->key, *entry);
  Wide mine = 0;
  constexpr int kAtOnce = 4;  // loads under way in each thread: the memory's latency is long
  const Wide step = stride();
  for (Wide i = start(); i < count; i += kAtOnce * step) {
    uint4 words[kAtOnce];
    for (int k = 0; k < kAtOnce; ++k) {
      if (i + k * step < count) words[k] = from[i + k * step];
    }
    for (int k = 0; k < kAtOnce; ++k) {
      if (i + k * step >= count) break;
      uint4& four = words[k];
      four = {swept(four.x, seed), swept(four.y, seed), swept(four.z, seed), swept(four.w, seed)};
      mine += Wide{four.x ^ four.y} + (four.z ^ four.w);
      to[i + k * step] = four;
    }
  }
  add_to(&entry->sweep, mine);
}

extern "C" __global__ void assay_fingerprint(Ledger* ledger, Word call, const void* data,
                                             Wide count, Word element_size, Wide first_place,
                                             Layout layout) {
  const Wide key = ledger->key;
  Wide mine = 0;
  for (Wide i = start(); i < count; i += stride()) {
    Wide at = i;
    Wide place = i;
    if (layout.dimensions != 0) {
      Wide rest = i;
      at = place = 0;
      for (int d = static_cast<int>(layout.dimensions) - 1; d >= 0; --d) {
        const Wide index = rest % layout.sizes[d];
        rest /= layout.sizes[d];
        at += index * layout.in_memory[d];
        place += index * layout.by_index[d];
      }
    }
    mine += hashed_element(read_element(data, element_size, at), key, first_place + place);
  }
  add_to(&ledger->entries[call].outputs, mine);
}

/// Tells the worker that the round is done, with the proof and what it is a proof of.
extern "C" __global__ void assay_seal(const Ledger* ledger, Ledger* shared_ledger, Word calls,
                                      volatile Wide* page_seal, volatile Word* page_done,
                                      Word round) {
  __shared__ Entry entries[kMostCalls];
  for (Word i = threadIdx.x; i < calls; i += blockDim.x) {
    shared_ledger->entries[i] = entries[i] = ledger->entries[i];
  }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0) return;
  Wide seal = ledger->key;
  for (Word i = 0; i < calls; ++i) seal = sealed(seal, entries[i]);
  *page_seal = seal;
  __threadfence_system();
  *page_done = round;
}

/// What the sweep buffer holds: nothing that could be known without reading it.
extern "C" __global__ void assay_fill(Wide* buffer, Wide count, Wide secret) {
  for (Wide i = start(); i < count; i += stride()) buffer[i] = mixed(secret + i);
}

/// What a launch takes by itself.
extern "C" __global__ void assay_nothing() {}
