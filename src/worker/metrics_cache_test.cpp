#include "worker/metrics_cache.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::worker {
namespace {

namespace fs = std::filesystem;

class MetricsCacheTest : public ::testing::Test {
 protected:
  std::unique_ptr<MetricsCache> open(std::uint64_t limit = 1 << 20) {
    return MetricsCache::open(directory_, limit, clock_).value();
  }

  TempDir temp_ = TempDir::create("/tmp", "assay-counters-").value();
  fs::path directory_ = temp_.path() / "counters";
  ManualClock clock_;
};

TEST_F(MetricsCacheTest, gives_every_run_back_after_a_restart) {
  const std::vector<KeptReport> runs{{.range = "request_1_custom", .bytes = "NVR\n12\n"},
                                     {.range = "request_2_custom", .bytes = ""}};
  open()->keep(sha256("a"), runs);
  EXPECT_EQ(open()->find(sha256("a")), runs);
  EXPECT_TRUE(open()->find(sha256("b")).empty());
}

TEST_F(MetricsCacheTest, does_not_find_what_was_damaged) {
  open()->keep(sha256("a"), {{.range = "r", .bytes = "report"}});
  for (const auto& file : fs::directory_iterator(directory_)) {
    std::ofstream(file.path(), std::ios::app) << "more";
  }
  EXPECT_TRUE(open()->find(sha256("a")).empty());
}

TEST_F(MetricsCacheTest, stays_within_its_bytes) {
  const auto cache = open(250'000);
  for (const char* key : {"a", "b", "c"}) {
    cache->keep(sha256(key), {{.range = "r", .bytes = std::string(100'000, 'x')}});
    clock_.advance(std::chrono::minutes(1));
  }
  EXPECT_TRUE(cache->find(sha256("a")).empty());
  EXPECT_FALSE(cache->find(sha256("c")).empty());
}

TEST_F(MetricsCacheTest, cannot_be_opened_where_a_file_is_in_the_way) {
  std::ofstream(directory_) << "";
  EXPECT_EQ(MetricsCache::open(directory_, 1, clock_).error().code(), ErrorCode::internal);
}

}  // namespace
}  // namespace assay::worker
