#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/io_contract.hpp"

namespace assay {

/// Another size at which a candidate must be right too. It is checked there, and not timed.
struct Workload {
  std::string name;
  std::optional<IoContract> reference_io;  // instead of the kernels' own, where they have one
  std::optional<IoContract> candidate_io;
  std::vector<std::pair<std::string, std::string>> constants;  // of Python sources: name, JSON
};

}  // namespace assay
