#include "store/artifact_store.hpp"

#include <chrono>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::store {
namespace {

class ArtifactStoreTest : public testing::Test {
 protected:
  std::filesystem::path only_file() {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(temp_.path())) {
      if (entry.is_regular_file()) return entry.path();
    }
    return {};
  }

  ManualClock clock_;
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-art-").value();
  ArtifactStore store_ = ArtifactStore::open(temp_.path(), clock_).value();
};

TEST_F(ArtifactStoreTest, gives_back_what_was_put_by_its_digest) {
  const std::string bytes(50'000, 'k');
  const Digest digest = store_.put(bytes).value();
  EXPECT_EQ(digest, sha256(bytes));
  EXPECT_TRUE(store_.contains(digest));
  EXPECT_EQ(store_.get(digest).value(), bytes);
  EXPECT_LT(std::filesystem::file_size(only_file()), 5000U) << "kept compressed";
}

TEST_F(ArtifactStoreTest, what_was_never_put_is_not_found) {
  EXPECT_EQ(store_.get(sha256("x")).error().code(), ErrorCode::not_found);
  EXPECT_FALSE(store_.contains(sha256("x")));
}

TEST_F(ArtifactStoreTest, damaged_bytes_are_data_loss_and_can_be_put_again) {
  const Digest digest = store_.put("kernel").value();
  ASSERT_TRUE(write_file_atomically(only_file(), "pkernal"));
  EXPECT_EQ(store_.get(digest).error().code(), ErrorCode::data_loss);
  EXPECT_FALSE(store_.contains(digest));
  ASSERT_TRUE(store_.put("kernel"));
  EXPECT_EQ(store_.get(digest).value(), "kernel");
}

TEST_F(ArtifactStoreTest, sweep_removes_the_longest_unused_first) {
  const Digest first = store_.put(std::string(100, 'a')).value();
  clock_.advance(std::chrono::seconds(1));
  const Digest second = store_.put(std::string(100, 'b')).value();
  clock_.advance(std::chrono::seconds(1));
  ASSERT_TRUE(store_.get(first));
  const ArtifactSweep sweep = store_.sweep(150).value();
  EXPECT_EQ(sweep.removed, 1U);
  EXPECT_EQ(sweep.bytes_kept, 101U);
  EXPECT_TRUE(store_.contains(first));
  EXPECT_FALSE(store_.contains(second));
}

TEST_F(ArtifactStoreTest, cannot_be_opened_or_written_where_nothing_can_be_made) {
  EXPECT_EQ(ArtifactStore::open("/proc/assay", clock_).error().code(), ErrorCode::invalid_argument);
  const auto path = temp_.path() / "file";
  ASSERT_TRUE(write_file_atomically(path, "x"));
  EXPECT_FALSE(ArtifactStore::open(path / "below", clock_));
}

}  // namespace
}  // namespace assay::store
