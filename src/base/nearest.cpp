#include "base/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {
namespace {

/// Letters to add, drop or change to make one word the other.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  // A third of the letters may be wrong; of short words two, which a swap of two letters is.
  std::size_t least = std::max<std::size_t>(3, word.size() / 3 + 1);
  for (const std::string& one : known) {
    // The letters that one has more are that many changes already.
    const std::size_t at_least =
        std::max(word.size(), one.size()) - std::min(word.size(), one.size());
    const std::size_t far = at_least >= least ? at_least : distance(word, one);
    const bool is_part = word.size() > 3 && (one.starts_with(word) || one.ends_with(word));
    if (is_part && !best) best = one;
    if (far >= least) continue;
    least = far;
    best = one;
  }
  return best;
}

}  // namespace assay
