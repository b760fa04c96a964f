#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/names.hpp"

namespace assay::trace {

/// What of two profiles is compared. Runs of different length have different totals without being
/// faster or slower.
enum class Per : std::uint8_t {
  total,      // all that was recorded
  iteration,  // one run through the program's loop
  range,      // one of the ranges asked for
  launch,     // one launch of the kernels that both have
};

inline constexpr NameTable<Per, 4> kPerNames = {{
    {Per::total, "total"},
    {Per::iteration, "iteration"},
    {Per::range, "range"},
    {Per::launch, "launch"},
}};

constexpr std::string_view to_string(Per per) {
  return name_in(kPerNames, per);
}

struct Basis {
  Per per = Per::total;
  std::string of;      // the range, of `iteration` and `range`
  double count_a = 1;  // how many of them A and B have
  double count_b = 1;
  std::string why;  // it was chosen, as a sentence
};

}  // namespace assay::trace
