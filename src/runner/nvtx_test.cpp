#include "runner/nvtx.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

// What a profiler's library does when a program asks for NVTX, by the layouts of its headers.
struct Callbacks {
  std::size_t size;
  int (*give_table)(int module, void (****table)(), unsigned* size);
};
struct Version {
  std::size_t size;
  std::uint32_t version;
  std::uint32_t reserved;
  void (*take)(std::uint32_t);
};

std::vector<std::string>& seen() {
  static std::vector<std::string> all;
  return all;
}

std::uint64_t start_range(const char* name) {
  seen().push_back(std::string("start ") + name);
  return 17;
}

void end_range(std::uint64_t id) {
  seen().push_back("end " + std::to_string(id));
}

bool& takes_part() {
  static bool value = true;
  return value;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2Preinject(
    const void* (*export_table)(std::uint32_t)) {
  if (!takes_part()) return 0;
  const auto* version = static_cast<const Version*>(export_table(3));
  const auto* callbacks = static_cast<const Callbacks*>(export_table(1));
  if (version == nullptr || version->version != 3 || callbacks == nullptr) return 0;
  if (export_table(2) != nullptr) return 0;
  version->take(3);
  for (int module = 1; module <= 6; ++module) {
    void (***table)() = nullptr;
    unsigned size = 0;
    if (callbacks->give_table(module, &table, &size) != 1 || size < 7) return 0;
    if (module != 1) continue;
    *table[5] = reinterpret_cast<void (*)()>(start_range);
    *table[7] = reinterpret_cast<void (*)()>(end_range);
  }
  unsigned size = 0;
  return callbacks->give_table(7, nullptr, &size) == 0 ? 1 : 0;
}

namespace assay::runner {
namespace {

using ::testing::ElementsAre;

TEST(Nvtx, opens_and_closes_a_range_for_the_tool_that_asks) {
  seen().clear();
  const auto nvtx = Nvtx::attach();
  ASSERT_NE(nvtx, nullptr);
  {
    const Nvtx::Range range(*nvtx, "request_1_custom");
    EXPECT_THAT(seen(), ElementsAre("start request_1_custom"));
  }
  EXPECT_THAT(seen(), ElementsAre("start request_1_custom", "end 17"));
}

TEST(Nvtx, is_not_there_where_no_tool_takes_part) {
  takes_part() = false;
  EXPECT_EQ(Nvtx::attach(), nullptr);
  takes_part() = true;
}

}  // namespace
}  // namespace assay::runner
