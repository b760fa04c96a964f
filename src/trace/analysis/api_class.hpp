#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/events/events.hpp"

namespace assay::trace {

/// What a CUDA call does to the thread that makes it.
enum class ApiClass : std::uint8_t { launch, graph_launch, synchronise, allocate, copy, other };

/// By the call's name, of the runtime or of the driver.
[[nodiscard]] ApiClass api_class(std::string_view name);

/// The class of every name of a trace; `other` for names that are no calls.
[[nodiscard]] std::vector<ApiClass> api_classes(const Trace& trace);

}  // namespace assay::trace
