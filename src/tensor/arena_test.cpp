#include "tensor/arena.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/element.hpp"

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

TEST(ArenaLayout, notices_a_write_past_either_end) {
  const ArenaLayout layout(two_tensors());
  std::vector<std::byte> bytes(layout.size());
  layout.paint_guards(bytes);
  EXPECT_FALSE(layout.broken_guard(bytes));
  const Slot out = layout.slots()[1];
  bytes[out.offset + out.size] = std::byte{0};
  const auto after = layout.broken_guard(bytes);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->slot, 1U);
  EXPECT_EQ(after->offset, 20);
  layout.paint_guards(bytes);
  bytes[layout.slots()[0].offset - 1] = std::byte{0};
  const auto before = layout.broken_guard(bytes);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->slot, 0U);
  EXPECT_EQ(before->offset, -1);
}

TEST(Poison, is_nan_in_every_float) {
  std::vector<std::byte> bytes(8);
  poison(bytes);
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    EXPECT_TRUE(std::isnan(read_element(dtype, bytes, 0)));
  }
}

}  // namespace
}  // namespace assay::tensor
