#include "store/data_dir.hpp"

#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::store {
namespace {

using std::chrono::milliseconds;

class DataDirTest : public testing::Test {
 protected:
  TempDir temp_ =
      TempDir::create(std::filesystem::temp_directory_path(), "assay-data-dir-").value();
};

TEST_F(DataDirTest, is_made_readable_by_its_owner_alone) {
  const auto dir = DataDir::open(temp_.path() / "new" / "data").value();
  using enum std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(dir.path()).permissions(), owner_all);
  EXPECT_EQ(dir.database().parent_path(), dir.path());
}

TEST_F(DataDirTest, has_one_holder_at_a_time) {
  {
    const auto held = DataDir::open(temp_.path()).value();
    EXPECT_EQ(DataDir::open(temp_.path(), milliseconds(0)).error().code(), ErrorCode::conflict);
  }
  EXPECT_TRUE(DataDir::open(temp_.path(), milliseconds(0)));
}

TEST_F(DataDirTest, cannot_be_where_nothing_can_be_made) {
  EXPECT_EQ(DataDir::open("/proc/assay").error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::store
