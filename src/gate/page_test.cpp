#include "gate/page.hpp"

#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/unique_fd.hpp"

namespace assay::gate {
namespace {

TEST(SharedPage, is_seen_by_whoever_maps_its_descriptor) {
  const auto made = SharedPage::create();
  ASSERT_TRUE(made);
  const auto mapped = SharedPage::map(UniqueFd(::dup(made->fd())));
  ASSERT_TRUE(mapped);
  (*made)->go = 7;
  EXPECT_EQ((*mapped)->go, 7U);
  (*mapped)->queued = 3;
  EXPECT_EQ((*made)->queued, 3U);
}

TEST(SharedPage, cannot_be_mapped_without_a_descriptor) {
  EXPECT_FALSE(SharedPage::map(UniqueFd()));
}

TEST(SharedPage, keeps_its_size_whoever_has_its_descriptor) {
  const auto made = SharedPage::create();
  ASSERT_TRUE(made);
  EXPECT_NE(::ftruncate(made->fd(), 0), 0);
  (*made)->go = 7;
  EXPECT_EQ((*made)->go, 7U);
}

TEST(SharedPage, may_change_its_owner) {
  auto first = SharedPage::create();
  ASSERT_TRUE(first);
  (*first)->key = 11;
  const SharedPage second = std::move(*first);
  EXPECT_EQ(second->key, 11U);
}

}  // namespace
}  // namespace assay::gate
