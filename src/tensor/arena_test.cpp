#include "tensor/arena.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <device_code/work.hpp>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/result.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/element.hpp"
#include "tensor/kind.hpp"

namespace assay::tensor {
namespace {

IoContract two_tensors() {
  return {.args = {{.name = "in", .value = TensorArg{.shape = {3}}},
                   {.name = "n", .value = ScalarArg{std::int64_t{3}}},
                   {.name = "out",
                    .value = TensorArg{.shape = {5}, .content = Full{}, .role = Role::inout}}}};
}

TEST(Arena, is_seen_through_its_descriptor) {
  auto arena = Arena::create(4096).value();
  const Arena moved = std::move(arena);
  moved.bytes()[10] = std::byte{42};
  void* other = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, moved.fd(), 0);
  ASSERT_NE(other, MAP_FAILED);
  EXPECT_EQ(static_cast<std::byte*>(other)[10], std::byte{42});
  ::munmap(other, 4096);
}

TEST(Arena, keeps_its_size_whoever_holds_the_descriptor) {
  const auto arena = Arena::create(4096).value();
  EXPECT_NE(::ftruncate(arena.fd(), 0), 0);
  EXPECT_NE(::ftruncate(arena.fd(), 8192), 0);
  EXPECT_EQ(arena.bytes()[4095], std::byte{0});
}

TEST(Arena, that_cannot_be_had_is_an_error) {
  EXPECT_FALSE(Arena::create(std::numeric_limits<std::size_t>::max() / 2));
}

TEST(ArenaLayout, gives_each_tensor_an_aligned_place_and_a_copy_to_what_starts_filled) {
  const ArenaLayout layout(two_tensors());
  ASSERT_EQ(layout.slots().size(), 2U);
  EXPECT_EQ(layout.slots()[0].argument, 0U);
  EXPECT_EQ(layout.slots()[1].argument, 2U);
  EXPECT_EQ(layout.slots()[0].size, 12U);
  EXPECT_EQ(layout.slots()[0].offset % 256, 0U);
  EXPECT_FALSE(layout.slots()[0].pristine);
  ASSERT_TRUE(layout.slots()[1].pristine);
  EXPECT_LE(*layout.slots()[1].pristine + 20, layout.size());
}

/// The memory of a layout, with its guards.
struct PaintedArena {
  explicit PaintedArena(ArenaLayout of) : layout(std::move(of)), bytes(layout.size()) { paint(); }
  void paint() {
    const auto painted = layout.paint_guards(
        [this](std::size_t offset, std::span<const std::byte> zone) -> Result<void> {
          std::ranges::copy(zone, bytes.begin() + static_cast<std::ptrdiff_t>(offset));
          return {};
        });
    EXPECT_TRUE(painted);
  }
  std::optional<Trespass> broken() {
    return layout
        .broken_guard(
            [this](std::size_t offset, std::size_t size) -> Result<std::span<const std::byte>> {
              return std::span<const std::byte>(bytes).subspan(offset, size);
            })
        .value();
  }

  ArenaLayout layout;
  std::vector<std::byte> bytes;
};

TEST(ArenaLayout, notices_a_copy_that_goes_too_far_in_both_arrays) {
  const ArenaLayout layout(IoContract{
      .args = {{.name = "x", .value = TensorArg{.shape = {1000}, .content = Randn{}}},
               {.name = "y", .value = TensorArg{.shape = {1000}, .role = Role::output}}}});
  PaintedArena painted(layout);
  const Slot& x = layout.slots()[0];
  const Slot& y = layout.slots()[1];
  const auto behind_x = std::span(painted.bytes).subspan(x.offset + x.size, 24);
  std::ranges::copy(behind_x,
                    painted.bytes.begin() + static_cast<std::ptrdiff_t>(y.offset + y.size));
  const auto broken = painted.broken();
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->slot, 1U);
}

TEST(ArenaLayout, notices_a_write_past_either_end) {
  const ArenaLayout layout(two_tensors());
  PaintedArena painted(layout);
  EXPECT_FALSE(painted.broken());
  const Slot out = layout.slots()[1];
  painted.bytes[out.offset + out.size] ^= std::byte{1};
  const auto after = painted.broken();
  ASSERT_TRUE(after);
  EXPECT_EQ(after->slot, 1U);
  EXPECT_EQ(after->offset, 20);
  painted.paint();
  painted.bytes[layout.slots()[0].offset - 1] ^= std::byte{1};
  const auto before = painted.broken();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->slot, 0U);
  EXPECT_EQ(before->offset, -1);
}

TEST(ArenaLayout, zones_hold_what_nobody_can_know_beforehand) {
  const ArenaLayout layout(two_tensors());
  EXPECT_NE(PaintedArena(layout).bytes, PaintedArena(layout).bytes);
}

TEST(ArenaLayout, zones_hold_finite_numbers_in_every_format) {
  const ArenaLayout layout(two_tensors());
  const PaintedArena painted(layout);
  const auto zone = std::span(painted.bytes).first(layout.slots()[0].offset);
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    for (std::size_t i = 0; i < zone.size() / size_of(dtype); ++i) {
      EXPECT_LT(std::abs(read_element(dtype, zone, i)), 2);
    }
  }
}

TEST(ArenaLayout, zones_are_as_long_as_a_row_and_lie_around_copies_too) {
  const auto spec = [](std::size_t row) {
    return SlotSpec{.size = 4 * row, .is_output = true, .row = row};
  };
  const ArenaLayout layout({spec(5000), spec(9000), spec(std::size_t{1} << 20U)});
  PaintedArena painted(layout);
  std::vector<std::byte>& bytes = painted.bytes;
  const auto told = [&](std::size_t at) {
    bytes[at] ^= std::byte{1};
    const auto found = painted.broken();
    painted.paint();
    return found ? std::optional(found->slot) : std::nullopt;
  };
  const auto& slots = layout.slots();
  EXPECT_EQ(told(slots[0].offset - 5000), 0U);
  EXPECT_EQ(told(slots[0].offset + slots[0].size + 8999), 0U);
  EXPECT_EQ(told(slots[1].offset + slots[1].size + (std::size_t{200} << 10U)), 1U);
  EXPECT_EQ(told(slots[2].offset + slots[2].size), 2U);
  EXPECT_EQ(told(*slots[0].pristine - 5000), 2U);
  EXPECT_EQ(told(*slots[0].pristine + slots[0].size + 8999), 0U);
  EXPECT_EQ(told(*slots[2].pristine + slots[2].size), 2U);
  EXPECT_LT(layout.size(), 2 * 4 * (5000 + 9000 + (std::size_t{1} << 20U)) + (2U << 20U));
}

TEST(Poison, is_nan_in_every_float) {
  std::vector<std::byte> bytes(8);
  for (const Poison& with : kPoisons) {
    poison(bytes, with);
    for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
      EXPECT_TRUE(std::isnan(read_element(dtype, bytes, 0)));
    }
  }
}

TEST(Poison, is_another_number_in_every_type_from_one_to_the_next) {
  for (std::size_t i = 0; i < kPoisons.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_NE(kPoisons[i].pattern[0], kPoisons[k].pattern[0]);
    }
  }
  EXPECT_NE(kPoisons[0].pattern[1], kPoisons[1].pattern[1]);
}

TEST(Poison, is_known_again_element_by_element_until_one_is_written) {
  std::vector<std::byte> bytes(16);
  poison(bytes, kPoisons[0]);
  const auto is_poison = [&](DType dtype, std::size_t i, const Poison& with) {
    return work::is_pattern(kind_of(dtype), work::raw(kind_of(dtype), bytes.data(), i), i,
                            pattern_of(with));
  };
  for (const DType dtype : {DType::uint8, DType::float16, DType::float32, DType::float64}) {
    for (std::size_t i = 0; i < bytes.size() / size_of(dtype); ++i) {
      EXPECT_TRUE(is_poison(dtype, i, kPoisons[0]));
      EXPECT_FALSE(is_poison(dtype, i, kPoisons[1]));
    }
  }
  bytes[3] = std::byte{0};
  EXPECT_FALSE(is_poison(DType::float32, 0, kPoisons[0]));
  EXPECT_FALSE(is_poison(DType::float64, 0, kPoisons[0]));
  EXPECT_TRUE(is_poison(DType::float32, 1, kPoisons[0]));
  poison(std::span(bytes).first(0), kPoisons[0]);
}

TEST(SlotSpecs, of_marked_outputs_without_content_are_blank) {
  const auto blank = [](Role role, TensorContent content) {
    const TensorArg tensor{.shape = {1}, .content = std::move(content), .role = role};
    const IoContract contract{.args = {{.name = "t", .value = tensor}}};
    return slot_specs(contract, output_positions(contract)).front().is_blank;
  };
  EXPECT_TRUE(blank(Role::output, Unspecified{}));
  EXPECT_FALSE(blank(Role::output, Full{1.0}));
  EXPECT_FALSE(blank(Role::inout, Unspecified{}));
  EXPECT_FALSE(blank(Role::input, Unspecified{}));
}

}  // namespace
}  // namespace assay::tensor
