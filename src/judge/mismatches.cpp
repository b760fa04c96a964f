#include "judge/mismatches.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"

namespace assay::judge {
namespace {

/// The elements from `begin` to `end`, in a row.
OutputView part_of(const OutputView& view, std::size_t begin, std::size_t end) {
  OutputView part = view;
  const std::size_t size = size_of(view.dtype);
  part.shape = {static_cast<std::int64_t>(end - begin)};
  part.bytes = view.bytes.subspan(begin * size, (end - begin) * size);
  return part;
}

bool differ(const OutputView& got, const OutputView& want, const Limit& limit, std::size_t begin,
            std::size_t end) {
  Limit here = limit;
  if (!limit.precise.empty()) {
    here.precise = limit.precise.subspan(begin * sizeof(double), (end - begin) * sizeof(double));
  }
  return compare_elements(part_of(got, begin, end), part_of(want, begin, end), here).mismatches > 0;
}

}  // namespace

std::vector<std::size_t> mismatches(const OutputView& got, const OutputView& want,
                                    const Limit& limit) {
  std::vector<std::size_t> found;
  std::vector<std::pair<std::size_t, std::size_t>> parts = {{0, element_count(got.shape)}};
  while (!parts.empty()) {
    const auto [begin, end] = parts.back();
    parts.pop_back();
    if (begin == end || !differ(got, want, limit, begin, end)) continue;
    if (end - begin == 1) {
      found.push_back(begin);
      continue;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    parts.emplace_back(middle, end);
    parts.emplace_back(begin, middle);
  }
  return found;
}

bool agrees_at(const OutputView& got, const OutputView& want, const Limit& limit,
               std::size_t element) {
  return !differ(got, want, limit, element, element + 1);
}

}  // namespace assay::judge
