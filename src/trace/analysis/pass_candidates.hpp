#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/analysis/passes.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

// Private to passes.cpp.

/// Ranges that may be passes, by what their names say without numbers and warm-up.
struct Candidate {
  std::string shown;                // the name of most of them
  std::vector<std::uint32_t> rows;  // of Trace::ranges, in order
  std::size_t recomputed = 0;       // that say so inside the backward pass: not in `rows`
};

using Candidates = std::map<std::string, Candidate>;  // by their words

/// How surely a range's name says that it is a pass.
enum class Sureness : std::uint8_t {
  none,
  begins_or_ends,  // with the word: "resnet forward"
  says_just_that,  // "Forward pass 3"
};

/// Ranges of the author's whose names are as sure as that.
[[nodiscard]] Candidates candidates_of(const Trace& trace, PassKind kind, Sureness wanted);

}  // namespace assay::trace
