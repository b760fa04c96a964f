#include "judge/ties.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/bytes.hpp"
#include "tensor/element.hpp"

namespace assay::judge {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 28U;  // of an array, read by one thread

using Indices = std::vector<std::int64_t>;

/// An array along one of its dimensions: element `at` of a line lies `inner` elements behind the
/// one before.
struct Lines {
  std::size_t outer;
  std::size_t length;
  std::size_t inner;
};

std::size_t product(Shape::const_iterator from, Shape::const_iterator to) {
  return std::accumulate(from, to, std::size_t{1}, [](std::size_t total, std::int64_t extent) {
    return total * static_cast<std::size_t>(extent);
  });
}

/// Along which dimension of `of` the indices may count: all others are the same, and it is gone or
/// has another length. A lone index may count all elements.
std::vector<Lines> lines_of(const Shape& of, const Shape& indices) {
  std::vector<Lines> found;
  for (std::size_t d = 0; d < of.size(); ++d) {
    Shape rest = of;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(d));
    Shape others = indices;
    if (others.size() == of.size()) others.erase(others.begin() + static_cast<std::ptrdiff_t>(d));
    if (others != rest) continue;
    const auto at = of.begin() + static_cast<std::ptrdiff_t>(d);
    found.push_back({.outer = product(of.begin(), at),
                     .length = static_cast<std::size_t>(*at),
                     .inner = product(at + 1, of.end())});
  }
  if (found.empty() && element_count(indices) == 1) {
    found.push_back({.outer = 1, .length = element_count(of), .inner = 1});
  }
  return found;
}

Indices indices_of(const OutputView& view) {
  const tensor::Readable readable(view.bytes);
  Indices indices;
  for (const double value : tensor::every_nth(view.dtype, readable.bytes(), 1)) {
    indices.push_back(static_cast<std::int64_t>(value));
  }
  return indices;
}

bool has_twice(Indices indices) {
  std::ranges::sort(indices);
  return std::ranges::adjacent_find(indices) != indices.end();
}

/// Whether the indices of one line point at equal numbers. `number_at` gives one of them.
bool is_tie(const Indices& got, const Indices& want, std::size_t length,
            const std::function<double(std::size_t)>& number_at) {
  if (got == want) return true;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i]) continue;
    for (const std::int64_t index : {got[i], want[i]}) {
      if (index < 0 || static_cast<std::size_t>(index) >= length) return false;
    }
    const double one = number_at(static_cast<std::size_t>(got[i]));
    const double other = number_at(static_cast<std::size_t>(want[i]));
    if (one != other && !(std::isnan(one) && std::isnan(other))) return false;
  }
  return !has_twice(got) || has_twice(want);
}

bool are_ties_along(const Lines& lines, const Indices& got, const Indices& want,
                    const OutputView& input) {
  const std::size_t each = got.size() / (lines.outer * lines.inner);
  const tensor::Readable readable(input.bytes);
  for (std::size_t line = 0; line < lines.outer * lines.inner; ++line) {
    const std::size_t outer = line / lines.inner;
    const std::size_t inner = line % lines.inner;
    const auto of_line = [&](const Indices& all) {
      Indices own;
      for (std::size_t i = 0; i < each; ++i) {
        own.push_back(all[(outer * each + i) * lines.inner + inner]);
      }
      return own;
    };
    const auto number_at = [&](std::size_t index) {
      const std::size_t element = (outer * lines.length + index) * lines.inner + inner;
      return tensor::read_element(input.dtype, readable.bytes(), element);
    };
    if (!is_tie(of_line(got), of_line(want), lines.length, number_at)) return false;
  }
  return true;
}

}  // namespace

bool are_ties(const OutputView& got, const OutputView& want,
              const std::vector<OutputView>& inputs) {
  const bool are_indices = want.dtype == DType::int64 || want.dtype == DType::int32;
  if (!are_indices || got.dtype != want.dtype || got.shape != want.shape || want.bytes.empty() ||
      want.bytes.size() > kMostBytes) {
    return false;
  }
  const Indices own = indices_of(got);
  const Indices expected = indices_of(want);
  return std::ranges::any_of(inputs, [&](const OutputView& input) {
    if (input.bytes.empty() || input.bytes.size() > kMostBytes) return false;
    return std::ranges::any_of(lines_of(input.shape, want.shape), [&](const Lines& lines) {
      return are_ties_along(lines, own, expected, input);
    });
  });
}

}  // namespace assay::judge
