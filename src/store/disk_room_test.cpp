#include "store/disk_room.hpp"

#include <cstdint>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::store {
namespace {

class DiskRoomTest : public testing::Test {
 protected:
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-room-").value();
  std::uint64_t free_ = DiskRoom(temp_.path(), 0).free_bytes();
};

TEST_F(DiskRoomTest, refuses_what_would_leave_too_little_free) {
  EXPECT_TRUE(DiskRoom(temp_.path(), 0).check(1));
  const auto full = DiskRoom(temp_.path(), free_ * 2).check(1);
  EXPECT_EQ(full.error().code(), ErrorCode::resource_exhausted);
  EXPECT_EQ(DiskRoom(temp_.path(), 0).check(free_ * 2).error().code(),
            ErrorCode::resource_exhausted);
}

TEST_F(DiskRoomTest, reserve_takes_room_that_is_given_back_once) {
  const DiskRoom room(temp_.path(), 0);
  room.keep_reserve();
  room.keep_reserve();
  EXPECT_EQ(std::filesystem::file_size(temp_.path() / "reserve"), DiskRoom::kReserve);
  EXPECT_TRUE(room.give_up_reserve());
  EXPECT_FALSE(room.give_up_reserve());
}

TEST_F(DiskRoomTest, nothing_is_reserved_of_a_disk_that_is_nearly_full) {
  DiskRoom(temp_.path(), free_ * 2).keep_reserve();
  EXPECT_FALSE(std::filesystem::exists(temp_.path() / "reserve"));
}

TEST_F(DiskRoomTest, place_that_cannot_be_asked_counts_as_free) {
  EXPECT_TRUE(DiskRoom("/nonexistent", 1 << 20).check(1));
}

}  // namespace
}  // namespace assay::store
