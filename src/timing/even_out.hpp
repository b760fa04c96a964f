#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::timing {

/// Values that come in turns: every `turns`-th one is alike, for a reason that has nothing to do
/// with what is measured. On an H200 rounds of calls come in turns of four. They lie up to 10 %
/// from their mean, depending on where the driver's queue is. This takes each turn's own offset
/// away and keeps the mean. What is left scatters a little too little, because the offsets were
/// found from the same values. `widen` says by how much. Values too few to know their offsets stay
/// as they are.
struct Evened {
  std::vector<double> values;
  double widen = 1;  // what an interval must be multiplied by
};
[[nodiscard]] Evened even_out(std::span<const double> values, std::size_t turns);

}  // namespace assay::timing
