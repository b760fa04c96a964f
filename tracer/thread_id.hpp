#pragma once

#include <cstdint>

namespace assay::tracer {

/// The kernel's number of this thread, asked for once.
[[nodiscard]] std::uint32_t thread_id();

/// In a new process the thread that forked has another number.
void forget_thread_id();

}  // namespace assay::tracer
