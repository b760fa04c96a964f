#pragma once

#include <chrono>

namespace assay {

/// What the threads of a process have had of the processors so far.
struct ProcessorUse {
  std::chrono::nanoseconds ran{};
  std::chrono::nanoseconds waited{};  // ready to run, while others had the processor
};

}  // namespace assay
