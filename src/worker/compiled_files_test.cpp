#include "worker/compiled_files.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "model/kernel.hpp"

namespace assay::worker {
namespace {

namespace fs = std::filesystem;

Kernel kernel_of(std::string source, KernelType type = KernelType::triton) {
  return {.source = std::move(source), .type = type};
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class CompiledFilesTest : public ::testing::Test {
 protected:
  std::unique_ptr<CompiledFiles> open(std::string scope = "triton 3.6, 9.0",
                                      std::uint64_t limit = 1 << 20) {
    return CompiledFiles::open(directory_, std::move(scope), limit, clock_).value();
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    const std::vector<fs::directory_entry> found{fs::directory_iterator(directory_), {}};
    return {found.begin(), found.end()};
  }

  TempDir temp_ = TempDir::create("/tmp", "assay-compiled-").value();
  fs::path directory_ = temp_.path() / "triton";
  ManualClock clock_;
};

TEST_F(CompiledFilesTest, what_was_kept_is_found_after_a_restart_and_the_last_counts) {
  const Kernel kernel = kernel_of("source");
  EXPECT_FALSE(open()->find(kernel));
  open()->keep(kernel, bytes_of("one"));
  open()->keep(kernel, bytes_of("another"));
  EXPECT_EQ(open()->find(kernel), bytes_of("another"));
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(CompiledFilesTest, another_source_type_or_scope_does_not_see_it) {
  open()->keep(kernel_of("source"), bytes_of("machine code"));
  EXPECT_FALSE(open()->find(kernel_of("source ")));
  EXPECT_FALSE(open()->find(kernel_of("source", KernelType::torch)));
  EXPECT_FALSE(open("triton 3.7, 9.0")->find(kernel_of("source")));
}

TEST_F(CompiledFilesTest, a_damaged_file_is_not_found_and_goes) {
  const auto store = open();
  for (const std::string_view damage : {"short", ""}) {
    store->keep(kernel_of("source"), bytes_of("machine code"));
    std::ofstream(files().front()) << damage;
    EXPECT_FALSE(store->find(kernel_of("source")));
    EXPECT_TRUE(files().empty());
  }
  store->keep(kernel_of("source"), bytes_of("machine code"));
  std::fstream(files().front(), std::ios::in | std::ios::out) << "0000";
  EXPECT_FALSE(store->find(kernel_of("source")));
}

TEST_F(CompiledFilesTest, sources_not_seen_for_longest_make_room) {
  const auto store = open("scope", 350'000);
  const std::vector<std::byte> packed(100'000);
  for (const char* source : {"a", "b", "c"}) {
    store->keep(kernel_of(source), packed);
    clock_.advance(std::chrono::minutes(1));
  }
  EXPECT_TRUE(store->find(kernel_of("a")));
  clock_.advance(std::chrono::minutes(1));
  store->keep(kernel_of("d"), packed);
  EXPECT_TRUE(store->find(kernel_of("a")));
  EXPECT_FALSE(store->find(kernel_of("b")));
  EXPECT_TRUE(store->find(kernel_of("d")));
  std::uintmax_t total = 0;
  for (const fs::path& file : files()) total += fs::file_size(file);
  EXPECT_LE(total, 350'000U);
}

TEST_F(CompiledFilesTest, a_directory_that_vanished_only_costs_what_it_held) {
  const auto store = open();
  fs::remove_all(directory_);
  store->keep(kernel_of("source"), bytes_of("machine code"));
  EXPECT_FALSE(store->find(kernel_of("source")));
}

TEST_F(CompiledFilesTest, opening_fails_where_the_directory_is_a_file) {
  std::ofstream(directory_) << "";
  EXPECT_EQ(CompiledFiles::open(directory_, "scope", 1, clock_).error().code(),
            ErrorCode::internal);
}

}  // namespace
}  // namespace assay::worker
