#include "compile/build_cache.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/disk_budget.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "compile/build_record.hpp"
#include "compile/work_area.hpp"
#include "model/kernel_resources.hpp"
#include "model/verdict.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;
using std::chrono::minutes;

class BuildCacheTest : public ::testing::Test {
 protected:
  std::unique_ptr<BuildCache> open(DiskLimits limits = {}) {
    return BuildCache::open(directory_, limits, work_, clock_).value();
  }

  BuildRecord module_of(std::string_view bytes) {
    const fs::path path = temp_.path() / "fresh.so";
    std::ofstream(path) << bytes;
    return CompiledKernel{.module = path,
                          .entry = "add",
                          .compiler = "g++",
                          .log = "a warning",
                          .spills = RegisterSpills{.store_bytes = 8, .load_bytes = 12},
                          .artifacts = {{.name = "ptx", .bytes = 4, .text = "ret;"},
                                        {.name = "sass", .absent = "no tool"}}};
  }

  TempDir temp_ = TempDir::create("/tmp", "assay-cache-").value();
  fs::path directory_ = temp_.path() / "entries";
  WorkArea work_ = WorkArea::open(temp_.path() / "work").value();
  ManualClock clock_;
};

const Digest kKey = sha256("a key");

TEST_F(BuildCacheTest, a_module_is_found_again_after_a_restart) {
  const auto stored = open()->store(kKey, module_of("machine code")).value();
  const auto found = open()->find(kKey);
  ASSERT_TRUE(found);
  const auto& kernel = std::get<CompiledKernel>(*found);
  EXPECT_EQ(kernel.module, std::get<CompiledKernel>(stored).module);
  EXPECT_EQ(read_file(kernel.module).value(), "machine code");
  EXPECT_EQ(kernel.entry, "add");
  EXPECT_EQ(kernel.log, "a warning");
  ASSERT_TRUE(kernel.spills);
  EXPECT_EQ(kernel.spills->store_bytes, 8);
  EXPECT_EQ(kernel.spills->load_bytes, 12);
  ASSERT_EQ(kernel.artifacts.size(), 2U);
  EXPECT_EQ(kernel.artifacts[0].text, "ret;");
  EXPECT_EQ(kernel.artifacts[0].bytes, 4U);
  EXPECT_EQ(kernel.artifacts[1].name, "sass");
  EXPECT_EQ(kernel.artifacts[1].absent, "no tool");
  EXPECT_FALSE(open()->find(sha256("another key")));
}

TEST_F(BuildCacheTest, failures_are_kept_too) {
  const auto cache = open();
  ASSERT_TRUE(cache->store(kKey, Verdict(DidNotCompile{.log = "line 3"})));
  EXPECT_EQ(std::get<DidNotCompile>(std::get<Verdict>(*cache->find(kKey))).log, "line 3");

  const Digest other = sha256("other");
  ASSERT_TRUE(cache->store(other, Verdict(Unsupported{.reason = "inline PTX", .line = 7})));
  const auto found = cache->find(other);
  const auto& missing = std::get<Unsupported>(std::get<Verdict>(*found));
  EXPECT_EQ(missing.reason, "inline PTX");
  EXPECT_EQ(missing.line, 7);
}

TEST_F(BuildCacheTest, a_verdict_that_does_not_last_is_not_kept) {
  const auto cache = open();
  EXPECT_EQ(cache->store(kKey, Verdict(TimedOut{})).error().code(), ErrorCode::invalid_argument);
  EXPECT_FALSE(cache->find(kKey));
}

TEST_F(BuildCacheTest, a_damaged_entry_is_a_miss_and_can_be_stored_again) {
  const auto cache = open();
  for (const std::string_view file : {"module.so", "record"}) {
    ASSERT_TRUE(cache->store(kKey, module_of("machine code")));
    std::ofstream(directory_ / kKey.hex() / file) << "machine c0de";
    EXPECT_FALSE(cache->find(kKey));
    ASSERT_TRUE(cache->store(kKey, module_of("machine code")));
    fs::remove(directory_ / kKey.hex() / file);
    EXPECT_FALSE(cache->find(kKey));
    EXPECT_FALSE(fs::exists(directory_ / kKey.hex()));
  }
}

TEST_F(BuildCacheTest, storing_over_a_damaged_entry_replaces_it) {
  const auto cache = open();
  ASSERT_TRUE(cache->store(kKey, module_of("machine code")));
  std::ofstream(directory_ / kKey.hex() / "module.so") << "broken";
  ASSERT_TRUE(cache->store(kKey, module_of("machine code")));
  EXPECT_TRUE(cache->find(kKey));
}

TEST_F(BuildCacheTest, the_least_recently_used_entries_make_room) {
  const std::string module(100'000, 'x');
  const auto cache = open({.bytes = 350'000, .protection = minutes(1)});
  for (const std::string_view key : {"a", "b", "c"}) {
    ASSERT_TRUE(cache->store(sha256(key), module_of(module)));
    clock_.advance(minutes(2));
  }
  ASSERT_TRUE(cache->find(sha256("a")));
  clock_.advance(minutes(2));
  ASSERT_TRUE(cache->store(sha256("d"), module_of(module)));
  EXPECT_LE(cache->bytes(), 350'000U);
  EXPECT_TRUE(cache->find(sha256("a")));
  EXPECT_FALSE(cache->find(sha256("b")));
  EXPECT_TRUE(cache->find(sha256("d")));
}

TEST_F(BuildCacheTest, entries_used_lately_stay_even_past_the_limit) {
  const auto cache = open({.bytes = 150'000, .protection = minutes(60)});
  const std::string module(100'000, 'x');
  ASSERT_TRUE(cache->store(sha256("a"), module_of(module)));
  ASSERT_TRUE(cache->store(sha256("b"), module_of(module)));
  EXPECT_TRUE(cache->find(sha256("a")));
  clock_.advance(minutes(61));
  const auto reopened = open({.bytes = 150'000, .protection = minutes(60)});
  EXPECT_LE(reopened->bytes(), 150'000U);
}

TEST_F(BuildCacheTest, a_flood_shortens_the_protection) {
  const auto cache = open({.bytes = 150'000, .protection = minutes(60)});
  const std::string module(100'000, 'x');
  for (const std::string_view key : {"a", "b", "c", "d", "e"}) {
    ASSERT_TRUE(cache->store(sha256(key), module_of(module)));
    clock_.advance(minutes(6));
  }
  EXPECT_LE(cache->bytes(), 300'000U + 120'000U);
  EXPECT_FALSE(cache->find(sha256("a")));
  EXPECT_TRUE(cache->find(sha256("e")));
}

/// Opens the directories as another server would and stores until it is killed.
[[noreturn]] void store_for_ever(const fs::path& root) {
  const SystemClock clock;
  const WorkArea work = WorkArea::open(root / "work").value();
  const auto cache = BuildCache::open(root / "entries", {}, work, clock).value();
  for (int i = 0;; ++i) {
    const TempDir directory = work.make_directory("build-").value();
    std::ofstream(directory.path() / "out.so") << std::string(20'000, 'x');
    const std::string key = std::to_string(i % 10);
    if (i % 3 == 0) work.discard(root / "entries" / sha256(key).hex());
    (void)cache->store(sha256(key), CompiledKernel{.module = directory.path() / "out.so"});
  }
}

TEST_F(BuildCacheTest, a_kill_at_any_moment_leaves_whole_entries_and_no_remains) {
  const fs::path root = temp_.path() / "killed";
  for (int round = 0; round < 15; ++round) {
    const pid_t child = ::fork();
    if (child == 0) store_for_ever(root);
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 2 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  const WorkArea work = WorkArea::open(root / "work").value();
  const auto cache = BuildCache::open(root / "entries", {}, work, clock_).value();
  std::size_t whole = 0;
  for (int key = 0; key < 10; ++key) whole += cache->find(sha256(std::to_string(key))) ? 1U : 0U;
  const auto count = [](const fs::path& directory) {
    return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
  };
  EXPECT_GT(whole, 0U);
  EXPECT_EQ(static_cast<std::size_t>(count(root / "entries")), whole);
  EXPECT_EQ(count(root / "work"), 2);  // the lock and the area opened above
}

TEST_F(BuildCacheTest, storing_a_module_that_is_not_there_fails) {
  const BuildRecord record = CompiledKernel{.module = temp_.path() / "absent.so"};
  EXPECT_EQ(open()->store(kKey, record).error().code(), ErrorCode::not_found);
}

TEST_F(BuildCacheTest, opening_fails_where_the_directory_is_a_file) {
  std::ofstream(directory_) << "";
  EXPECT_EQ(BuildCache::open(directory_, {}, work_, clock_).error().code(), ErrorCode::internal);
}

}  // namespace
}  // namespace assay::compile
