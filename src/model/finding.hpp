#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/io_contract.hpp"

namespace assay {

/// Which thread did something, and where in the submitted source.
struct Place {
  Dim3 thread;  // indices, counted from 0
  Dim3 block;
  std::optional<int> line;
  bool is_write = false;
  bool is_atomic = false;
};

/// What a sanitizer saw, or why a kernel was stopped.
struct Finding {
  std::string kind;     // "out_of_bounds", "race", …
  std::string message;  // a sentence for people
  std::string array;    // empty where it is not known
  std::optional<std::int64_t> index;
  std::optional<std::uint64_t> address{};  // where a GPU's own tool tells it
  Place place{};
  std::optional<Place> other;  // the second party of a race
};

}  // namespace assay
