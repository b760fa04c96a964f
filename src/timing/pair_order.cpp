#include "timing/pair_order.hpp"

#include <cstddef>
#include <vector>

namespace assay::timing {

bool PairOrder::reference_first() {
  if (ahead_.empty()) {
    ahead_ = {true, true, false, false};
    for (std::size_t i = ahead_.size() - 1; i > 0; --i) {  // the same from one library to another
      std::vector<bool>::swap(ahead_[i], ahead_[random_() % (i + 1)]);
    }
  }
  const bool first = ahead_.back();
  ahead_.pop_back();
  return first;
}

}  // namespace assay::timing
