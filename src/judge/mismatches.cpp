#include "judge/mismatches.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/bytes.hpp"
#include "tensor/stretches.hpp"

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

/// The same for what the reference gave in float64, if it did.
Limit part_of(const Limit& limit, std::size_t begin, std::size_t end) {
  Limit part = limit;
  if (!limit.precise.empty()) {
    part.precise = limit.precise.subspan(begin * sizeof(double), (end - begin) * sizeof(double));
  }
  return part;
}

/// Elements of both views and the limit, where the processor can read them.
class Host {
 public:
  Host(const OutputView& got, const OutputView& want, const Limit& limit, std::size_t begin,
       std::size_t end)
      : got_(part_of(got, begin, end)),
        want_(part_of(want, begin, end)),
        limit_(part_of(limit, begin, end)),
        got_bytes_(got_.bytes),
        want_bytes_(want_.bytes),
        precise_bytes_(limit_.precise) {
    got_.bytes = got_bytes_.bytes();
    want_.bytes = want_bytes_.bytes();
    limit_.precise = precise_bytes_.bytes();
  }

  [[nodiscard]] bool differ(std::size_t begin, std::size_t end) const {
    const OutputView got = part_of(got_, begin, end);
    return compare_elements(got, part_of(want_, begin, end), part_of(limit_, begin, end))
               .mismatches > 0;
  }
  [[nodiscard]] std::size_t count() const { return element_count(got_.shape); }

 private:
  OutputView got_;
  OutputView want_;
  Limit limit_;
  tensor::Readable got_bytes_;
  tensor::Readable want_bytes_;
  tensor::Readable precise_bytes_;
};

void add_mismatches(const Host& host, std::size_t first, std::vector<std::size_t>& found) {
  std::vector<std::pair<std::size_t, std::size_t>> parts = {{0, host.count()}};
  while (!parts.empty()) {
    const auto [begin, end] = parts.back();
    parts.pop_back();
    if (begin == end || !host.differ(begin, end)) continue;
    if (end - begin == 1) {
      found.push_back(first + begin);
      continue;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    parts.emplace_back(middle, end);
    parts.emplace_back(begin, middle);
  }
}

}  // namespace

std::vector<std::size_t> mismatches(const OutputView& got, const OutputView& want,
                                    const Limit& limit) {
  std::vector<std::size_t> found;
  const std::size_t count = element_count(got.shape);
  if (count == 0) return found;
  for (const std::size_t stretch : differing_stretches(got, want, limit)) {
    const std::size_t begin = stretch * tensor::kStretch;
    const std::size_t end = std::min(count, begin + tensor::kStretch);
    add_mismatches(Host(got, want, limit, begin, end), begin, found);
  }
  return found;
}

bool agrees_at(const OutputView& got, const OutputView& want, const Limit& limit,
               std::size_t element) {
  return !Host(got, want, limit, element, element + 1).differ(0, 1);
}

}  // namespace assay::judge
