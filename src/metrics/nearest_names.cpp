#include "metrics/nearest_names.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::metrics {
namespace {

/// Letters to insert, remove or replace; by rows, since only the last one is needed.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> known,
                                       std::size_t most) {
  const std::size_t far = name.size() / 2 + 1;
  std::vector<std::pair<std::size_t, const std::string*>> ranked;
  for (const std::string& candidate : known) {
    const std::size_t apart = distance(name, candidate);
    if (apart <= far) ranked.emplace_back(apart, &candidate);
  }
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : *a.second < *b.second;
  });
  std::vector<std::string> names;
  for (const auto& [apart, candidate] : std::span(ranked).first(std::min(most, ranked.size()))) {
    names.push_back(*candidate);
  }
  return names;
}

}  // namespace assay::metrics
