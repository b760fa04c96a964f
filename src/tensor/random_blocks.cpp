#include "tensor/random_blocks.hpp"

#include <array>
#include <cstddef>

#include <device_code/work.hpp>

#include "tensor/kind.hpp"
#include "tensor/wide.hpp"

namespace assay::tensor {
namespace {

using work::Word;

constexpr std::size_t kMostOfBlock = 4;  // elements

/// One word, or one number, of each block.
template <class T>
using Row = std::array<T, kBlocksTogether>;
using Words = std::array<Row<Word>, 4>;
using Numbers = std::array<Row<double>, kMostOfBlock>;

void set(Words& words, std::size_t lane, const work::Four& block) {
  words[0][lane] = block.x[0];
  words[1][lane] = block.x[1];
  words[2][lane] = block.x[2];
  words[3][lane] = block.x[3];
}

/// work::philox of each block, round by round.
void draw(const work::GenerateTask& task, std::size_t first, Words& words) {
  for (std::size_t lane = 0; lane < kBlocksTogether; ++lane) {
    set(words, lane, work::philox_start(first + lane));
  }
  auto key0 = static_cast<Word>(task.seed);
  auto key1 = static_cast<Word>(task.seed >> 32U);
  for (int round = 0; round < work::kPhiloxRounds; ++round) {
    for (std::size_t lane = 0; lane < kBlocksTogether; ++lane) {
      const work::Four block{{words[0][lane], words[1][lane], words[2][lane], words[3][lane]}};
      set(words, lane, work::philox_round(block, key0, key1));
    }
    key0 += work::kPhiloxStep0;
    key1 += work::kPhiloxStep1;
  }
}

/// Two numbers of two words: `kFirst` and the next.
template <std::size_t kFirst>
void make_normal(const work::GenerateTask& task, const Words& words, Numbers& numbers) {
  for (std::size_t lane = 0; lane < kBlocksTogether; ++lane) {
    const auto two = work::normal_numbers(task, words[kFirst][lane], words[kFirst + 1][lane]);
    numbers[kFirst][lane] = two.cosine;
    numbers[kFirst + 1][lane] = two.sine;
  }
}

void make_uniform(const work::GenerateTask& task, const Words& words, Numbers& numbers) {
  for (std::size_t lane = 0; lane < kBlocksTogether; ++lane) {
    numbers[0][lane] = work::uniform_number(task, work::unit(words[0][lane], words[1][lane]));
    numbers[1][lane] = work::uniform_number(task, work::unit(words[2][lane], words[3][lane]));
  }
}

/// The numbers of a group of blocks, of which those of one block stand in one lane.
void make_numbers(const work::GenerateTask& task, std::size_t first, Numbers& numbers) {
  Words words;
  draw(task, first, words);
  if (task.content == work::Content::normal) {
    make_normal<0>(task, words, numbers);
    make_normal<2>(task, words, numbers);
  } else {
    make_uniform(task, words, numbers);
  }
}

template <std::size_t kEach>
void store(work::Kind kind, const work::GenerateTask& task, std::size_t first,
           const Numbers& numbers) {
  for (std::size_t lane = 0; lane < kBlocksTogether; ++lane) {
    for (std::size_t j = 0; j < kEach; ++j) {
      work::write(kind, task.array, kEach * (first + lane) + j, numbers[j][lane]);
    }
  }
}

void store_numbers(work::Kind kind, const work::GenerateTask& task, std::size_t first,
                   const Numbers& numbers) {
  if (task.content == work::Content::normal) return store<4>(kind, task, first, numbers);
  store<2>(kind, task, first, numbers);
  const std::size_t end = 2 * (first + kBlocksTogether);
  unsigned reached = 0;
  for (std::size_t i = 2 * first; i < end; ++i) {
    reached |= static_cast<unsigned>(work::read(kind, task.array, i) >= task.second);
  }
  if (reached == 0) return;
  for (std::size_t i = 2 * first; i < end; ++i) work::keep_end_open(kind, task, i);
}

ASSAY_WIDE void make_numbers_wide(const work::GenerateTask& task, std::size_t first,
                                  Numbers& numbers) {
  make_numbers(task, first, numbers);
}

template <work::Kind kKind>
ASSAY_WIDE void store_numbers_wide(const work::GenerateTask& task, std::size_t first,
                                   const Numbers& numbers) {
  store_numbers(kKind, task, first, numbers);
}

/// Calls `make_group` for whole groups, and makes what is left one by one.
template <class MakeGroup>
void in_groups(const work::GenerateTask& task, std::size_t first, std::size_t end,
               const MakeGroup& make_group) {
  for (; first + kBlocksTogether <= end; first += kBlocksTogether) make_group(first);
  for (; first < end; ++first) work::generate_block(task.kind, task, first);
}

}  // namespace

void make_random_blocks(const work::GenerateTask& task, std::size_t first, std::size_t end) {
  if (!has_wide_registers()) return make_random_blocks_plainly(task, first, end);
  with_kind(task.kind, [&](auto kind) {
    Numbers numbers;
    in_groups(task, first, end, [&](std::size_t group) {
      make_numbers_wide(task, group, numbers);
      store_numbers_wide<kind.value>(task, group, numbers);
    });
  });
}

void make_random_blocks_plainly(const work::GenerateTask& task, std::size_t first,
                                std::size_t end) {
  with_kind(task.kind, [&](auto kind) {
    Numbers numbers;
    in_groups(task, first, end, [&](std::size_t group) {
      make_numbers(task, group, numbers);
      store_numbers(kind, task, group, numbers);
    });
  });
}

}  // namespace assay::tensor
