#pragma once

#include <cstdint>
#include <string_view>

#include "trace/events/nsys_fixture.hpp"

namespace assay::trace {

struct DemoOptions {
  int steps = 3;
  bool training = true;          // with backward pass, optimizer and gradient reduction
  bool fused_attention = false;  // one kernel in place of scores, softmax and values
  double gemm_scale = 1;         // of the time of matrix multiplications
  NsysRelease release = NsysRelease::v3_25;
};

/// A small transformer as Nsight Systems would have recorded it. It has two layers. Before each
/// step there is a data copy and some work on the host. Another thread launches the backward pass,
/// and gradients are reduced beside it. Batch 4, 12 heads, 512 tokens of 64 dimensions. Every time
/// in it is made up, and the same each time.
void add_demo(NsysFixture& fixture, const DemoOptions& options = {});

/// PyTorch's profiler on two steps of it, as JSON.
[[nodiscard]] std::string_view demo_kineto();

}  // namespace assay::trace
