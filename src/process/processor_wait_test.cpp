#include "process/processor_wait.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace assay::process {
namespace {

void compute_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  volatile int sum = 0;
  while (std::chrono::steady_clock::now() < end) sum = sum + 1;
}

TEST(ProcessorUse, counts_what_threads_ran_and_what_they_had_to_wait) {
  if (!std::filesystem::exists("/proc/self/schedstat")) GTEST_SKIP() << "this kernel keeps none";
  const auto before = processor_use(::getpid()).value();
  const std::size_t threads = 3 * std::thread::hardware_concurrency();
  std::chrono::nanoseconds ran{};
  std::chrono::nanoseconds waited{};
  std::jthread watch([&](const std::stop_token& stop) {  // threads count while they live
    while (!stop.stop_requested()) {
      const auto now = processor_use(::getpid()).value();
      ran = std::max(ran, now.ran - before.ran);
      waited = std::max(waited, now.waited - before.waited);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  {
    std::vector<std::jthread> busy;
    for (std::size_t i = 0; i < threads; ++i) {
      busy.emplace_back([] { compute_for(std::chrono::milliseconds(300)); });
    }
  }
  watch.request_stop();
  watch.join();
  EXPECT_GT(ran, std::chrono::milliseconds(30));
  EXPECT_GT(waited, std::chrono::milliseconds(30)) << "three threads for each processor";
}

TEST(ProcessorUse, of_a_process_that_is_not_there_is_unknown) {
  EXPECT_FALSE(processor_use(-1));
}

}  // namespace
}  // namespace assay::process
