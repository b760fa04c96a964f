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

/// What a thread reads or writes at once.
template <class Bits>
union Piece {
  static constexpr Word kCount = sizeof(uint4) / sizeof(Bits);
  // Loads under way in each thread: the memory's latency is long.
  static constexpr int kAtOnce = sizeof(Bits) < 4 ? sizeof(Bits) : 4;
  uint4 whole;
  Bits elements[kCount];
};

/// How many whole pieces an array has that can be taken as such.
template <class Bits>
__device__ Wide pieces_of(const Bits* array, Wide count) {
  return reinterpret_cast<Wide>(array) % sizeof(uint4) == 0 ? count / Piece<Bits>::kCount : 0;
}

template <class Bits>
__device__ uint4 load_piece(const Bits* array, Wide piece) {
  return reinterpret_cast<const uint4*>(array)[piece];
}

/// Writes the lines of 128 bytes that are not late, and adds up what it wrote.
template <class Bits, class Vary>
__device__ void write_early(Bits* to, const Bits* from, Wide count, Wide* sum, Wide sum_seed,
                            Vary vary) {
  constexpr Word kInPiece = Piece<Bits>::kCount;
  constexpr int kAtOnce = Piece<Bits>::kAtOnce;
  const Wide pieces = pieces_of(to, count) == 0 ? 0 : pieces_of(from, count);
  const Wide step = stride();
  Wide mine = 0;
  for (Wide first = start(); first < pieces; first += kAtOnce * step) {
    Piece<Bits> piece[kAtOnce];
    bool is_mine[kAtOnce];
    for (int k = 0; k < kAtOnce; ++k) {
      const Wide at = first + k * step;
      is_mine[k] = at < pieces && !is_late(at * sizeof(uint4));
      if (is_mine[k]) piece[k].whole = load_piece(from, at);
    }
    for (int k = 0; k < kAtOnce; ++k) {
      if (!is_mine[k]) continue;
      const Wide at = first + k * step;
      for (Word e = 0; e < kInPiece; ++e) {
        Bits& bits = piece[k].elements[e];
        bits = vary(bits, at * kInPiece + e);
      }
      const uint4 words = piece[k].whole;
      reinterpret_cast<uint4*>(to)[at] = words;
      constexpr Word kOdd = 0x9E3779B1U;
      mine += hashed(((words.x * kOdd + words.y) * kOdd + words.z) * kOdd + words.w, sum_seed, at);
    }
  }
  for (Wide i = pieces * kInPiece + start(); i < count; i += step) {
    if (is_late(i * sizeof(Bits))) continue;
    const Bits bits = vary(from[i], i);
    to[i] = bits;
    mine += hashed(static_cast<Word>(bits), sum_seed, i);
  }
  add_to(sum, mine);
}

/// Writes the lines of 128 bytes that are late. A warp looks at up to 32 lines at once and takes
/// those it must, some at a time.
template <class Bits, class Vary>
__device__ void write_late(Bits* to, const Bits* from, Wide count, Vary vary) {
  constexpr Word kWarp = 32;
  constexpr Word kInLine = 128 / sizeof(Bits);
  constexpr int kAtOnce = 4;  // lines under way
  const Word lane = threadIdx.x % kWarp;
  const Wide lines = (count + kInLine - 1) / kInLine;
  const Wide warps = stride() / kWarp;
  const Wide fair = lines / warps;
  const Wide group = fair < kAtOnce ? kAtOnce : fair < kWarp ? fair : kWarp;
  for (Wide first = start() / kWarp * group; first < lines; first += warps * group) {
    const Wide own = first + lane;
    const bool is_mine = lane < group && own < lines && is_late(own * 128);
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
          if (k < taken && i < count) to[i] = vary(values[k], i);
        }
      }
    }
  }
}

/// What the early or the late lines of an input are for one call.
struct Writing {
  bool late;
  Wide* sum;  // of the early ones
  Wide sum_seed;
};

template <class Bits, class Vary>
__device__ void write_varied(void* to, const void* from, Wide count, const Writing& writing,
                             Vary vary) {
  Bits* const there = static_cast<Bits*>(to);
  const Bits* const here = static_cast<const Bits*>(from);
  if (writing.late) return write_late(there, here, count, vary);
  write_early(there, here, count, writing.sum, writing.sum_seed, vary);
}

/// What the elements of an array add to a fingerprint, where they lie in the order of their indices.
template <class Bits>
__device__ Wide hash_dense(const void* data, Wide count, Wide key, Wide first_place) {
  constexpr Word kInPiece = Piece<Bits>::kCount;
  constexpr int kAtOnce = Piece<Bits>::kAtOnce;
  const Bits* const array = static_cast<const Bits*>(data);
  const Wide pieces = pieces_of(array, count);
  const Wide step = stride();
  Wide mine = 0;
  for (Wide first = start(); first < pieces; first += kAtOnce * step) {
    Piece<Bits> piece[kAtOnce];
    for (int k = 0; k < kAtOnce; ++k) {
      if (first + k * step < pieces) piece[k].whole = load_piece(array, first + k * step);
    }
    for (int k = 0; k < kAtOnce; ++k) {
      const Wide at = first + k * step;
      if (at >= pieces) break;
      for (Word e = 0; e < kInPiece; ++e) {
        mine += hashed_element(piece[k].elements[e], key, first_place + at * kInPiece + e);
      }
    }
  }
  for (Wide i = pieces * kInPiece + start(); i < count; i += step) {
    mine += hashed_element(array[i], key, first_place + i);
  }
  return mine;
}

__device__ Wide hash_of_size(Word size, const void* data, Wide count, Wide key, Wide first_place) {
  switch (size) {
    case 1: return hash_dense<unsigned char>(data, count, key, first_place);
    case 2: return hash_dense<unsigned short>(data, count, key, first_place);
    case 4: return hash_dense<Word>(data, count, key, first_place);
    default: return hash_dense<Wide>(data, count, key, first_place);
  }
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

namespace {

__device__ Wide hash_strided(const void* data, Wide count, Word element_size, Wide key,
                             Wide first_place, const Layout& layout) {
  Wide mine = 0;
  for (Wide i = start(); i < count; i += stride()) {
    Wide rest = i;
    Wide at = 0;
    Wide place = 0;
    for (int d = static_cast<int>(layout.dimensions) - 1; d >= 0; --d) {
      const Wide index = rest % layout.sizes[d];
      rest /= layout.sizes[d];
      at += index * layout.in_memory[d];
      place += index * layout.by_index[d];
    }
    mine += hashed_element(read_element(data, element_size, at), key, first_place + place);
  }
  return mine;
}

}  // namespace

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
  const Writing writing{late != 0, &entry->inputs, key};
  switch (how) {
    case Variation::float32:
      return write_varied<Word>(to, from, count, writing, [=](Word x, Wide i) {
        return varied32(x, strength, seed, i);
      });
    case Variation::float64:
      return write_varied<Wide>(to, from, count, writing, [=](Wide x, Wide i) {
        return varied64(x, strength, seed, i);
      });
    case Variation::float16:
    case Variation::bfloat16: {
      const bool brain = how == Variation::bfloat16;
      return write_varied<unsigned short>(
          to, from, count, writing,
          [=](unsigned short x, Wide i) { return varied16(x, brain, strength, seed, i); });
    }
    case Variation::copied:
      return write_varied<unsigned char>(to, from, count, writing,
                                         [](unsigned char x, Wide) { return x; });
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
  constexpr int kAtOnce = 4;  // loads under way in each thread
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
  const Wide mine = layout.dimensions == 0
                        ? hash_of_size(element_size, data, count, key, first_place)
                        : hash_strided(data, count, element_size, key, first_place, layout);
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
