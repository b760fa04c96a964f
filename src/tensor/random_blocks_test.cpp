#include "tensor/random_blocks.hpp"

#include <cstddef>
#include <vector>

#include <device_code/work.hpp>
#include <gtest/gtest.h>

#include "tensor/kind.hpp"
#include "tensor/wide.hpp"

namespace assay::tensor {
namespace {

using work::Content;
using work::Kind;

struct Case {
  Content content;
  double first;
  double second;
};

constexpr std::size_t kBlocks = 3 * kBlocksTogether + 5;
constexpr std::size_t kFirst = 7;

using Maker = void (*)(const work::GenerateTask&, std::size_t, std::size_t);

void one_by_one(const work::GenerateTask& task, std::size_t first, std::size_t end) {
  for (std::size_t block = first; block < end; ++block) {
    work::generate_block(task.kind, task, block);
  }
}

std::vector<std::byte> made_by(Maker make, Kind kind, const Case& wanted, work::Wide seed) {
  const std::size_t each = work::elements_of_block(wanted.content);
  std::vector<std::byte> bytes((kFirst + kBlocks) * each * work::size_of(kind));
  const work::GenerateTask task{.array = bytes.data(),
                                .count = (kFirst + kBlocks) * each,
                                .kind = kind,
                                .content = wanted.content,
                                .first = wanted.first,
                                .second = wanted.second,
                                .seed = seed};
  make(task, kFirst, kFirst + kBlocks);
  return bytes;
}

TEST(RandomBlocks, are_those_made_one_by_one_in_every_format) {
  // Narrow formats round numbers just below 1 up to it, which the open end forbids.
  for (const Case& wanted : {Case{Content::normal, 0, 1}, Case{Content::normal, -3, 1e30},
                             Case{Content::uniform, 0.99, 1}, Case{Content::uniform, -2, 5},
                             Case{Content::uniform, 1, 1}, Case{Content::integers, -100, 256}}) {
    for (auto kind = Kind::float64; kind <= Kind::boolean;
         kind = static_cast<Kind>(static_cast<work::Word>(kind) + 1)) {
      for (const work::Wide seed : {work::Wide{0}, work::Wide{0x123456789ABCDEF0}}) {
        const auto want = made_by(one_by_one, kind, wanted, seed);
        EXPECT_EQ(made_by(make_random_blocks, kind, wanted, seed), want)
            << static_cast<int>(kind) << " " << wanted.first;
        EXPECT_EQ(made_by(make_random_blocks_plainly, kind, wanted, seed), want)
            << static_cast<int>(kind) << " " << wanted.first;
      }
    }
  }
}

}  // namespace
}  // namespace assay::tensor
