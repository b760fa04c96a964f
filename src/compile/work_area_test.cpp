#include "compile/work_area.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t directories_in(const fs::path& parent) {
  std::ptrdiff_t count = 0;
  for (const auto& item : fs::directory_iterator(parent)) count += item.is_directory() ? 1 : 0;
  return count;
}

class WorkAreaTest : public ::testing::Test {
 protected:
  TempDir temp_ = TempDir::create("/tmp", "assay-work-").value();
  fs::path parent_ = temp_.path() / "work";
};

TEST_F(WorkAreaTest, opening_removes_what_a_dead_process_left) {
  fs::create_directories(parent_ / "work-dead" / "build-1");
  std::ofstream(parent_ / "work-dead" / ".lock") << "";
  fs::create_directories(parent_ / "work-without-a-lock");
  const WorkArea area = WorkArea::open(parent_).value();
  EXPECT_FALSE(fs::exists(parent_ / "work-dead"));
  EXPECT_EQ(directories_in(parent_), 1);
}

TEST_F(WorkAreaTest, opening_leaves_the_work_of_others_alone) {
  const WorkArea first = WorkArea::open(parent_).value();
  const TempDir busy = first.make_directory("build-").value();
  const WorkArea second = WorkArea::open(parent_).value();
  EXPECT_TRUE(fs::exists(busy.path()));
}

TEST_F(WorkAreaTest, nothing_stays_when_it_closes) {
  std::optional<WorkArea> area(WorkArea::open(parent_).value());
  std::ofstream(area->make_directory("build-").value().path().string() + ".stray") << "x";
  area.reset();
  EXPECT_EQ(directories_in(parent_), 0);
}

TEST_F(WorkAreaTest, discarding_removes_a_tree_and_forgives_its_absence) {
  const WorkArea area = WorkArea::open(parent_).value();
  fs::create_directories(temp_.path() / "tree" / "branch");
  area.discard(temp_.path() / "tree");
  area.discard(temp_.path() / "tree");
  EXPECT_FALSE(fs::exists(temp_.path() / "tree"));
}

TEST_F(WorkAreaTest, opening_fails_where_the_parent_is_a_file) {
  std::ofstream(parent_) << "";
  EXPECT_EQ(WorkArea::open(parent_).error().code(), ErrorCode::internal);
}

}  // namespace
}  // namespace assay::compile
