#pragma once

#include <cstdint>

// What a program does with a GPU that exists in memory alone. These are the functions of a library
// that goes by the names of CUDA's driver and of CUPTI. Like the real driver, it loads the library
// that CUDA_INJECTION64_PATH names. Like the real CUPTI, it fills its client's buffers.
// FAKE_CUPTI_TAKEN names another profiler that has the subscription. With FAKE_SCRIPTED_TIME only
// fake_pass lets time pass, so that a busy machine records what an idle one does.
extern "C" {

struct FakeLaunch {
  const char* name;  // mangled
  std::uint32_t grid;
  std::uint32_t block;
  std::uint64_t nanoseconds;
  std::uint32_t stream;
  std::uint64_t graph_node;   // 0: no graph
  bool by_driver;             // with no call of the runtime around it
  std::uint32_t correlation;  // 0: a new call; else one that was made, as graphs' kernels have
};

using FakeInit = int (*)(unsigned flags);                         // cuInit
using FakeLaunchFunction = std::uint32_t (*)(const FakeLaunch*);  // fake_launch; its correlation
using FakeMove = void (*)(std::uint64_t bytes, std::uint64_t nanoseconds);  // fake_copy, fake_fill
using FakeProfiler = void (*)(int start);                                   // fake_profiler
using FakeQuestion = void (*)();                                            // fake_question
using FakePass = void (*)(std::uint64_t nanoseconds);                       // fake_pass
}
