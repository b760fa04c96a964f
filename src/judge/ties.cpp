#include "judge/ties.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/bytes.hpp"
#include "tensor/element.hpp"

namespace assay::judge {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 28U;  // of an array, read by one thread

using Indices = std::vector<std::int64_t>;

std::size_t product(Shape::const_iterator from, Shape::const_iterator to) {
  return std::accumulate(from, to, std::size_t{1}, [](std::size_t total, std::int64_t extent) {
    return total * static_cast<std::size_t>(extent);
  });
}

/// Along which dimensions of `of` the indices may count: all others are the same, and it is gone or
/// has another length. A lone index may count all elements.
std::vector<Counted> ways_to_count(std::size_t input, const Shape& of, const Shape& indices) {
  std::vector<Counted> found;
  for (std::size_t d = 0; d < of.size(); ++d) {
    Shape rest = of;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(d));
    Shape others = indices;
    if (others.size() == of.size()) others.erase(others.begin() + static_cast<std::ptrdiff_t>(d));
    if (others != rest) continue;
    const auto at = of.begin() + static_cast<std::ptrdiff_t>(d);
    found.push_back({.input = input,
                     .outer = product(of.begin(), at),
                     .length = static_cast<std::size_t>(*at),
                     .inner = product(at + 1, of.end())});
  }
  if (found.empty() && element_count(indices) == 1) {
    found.push_back({.input = input, .outer = 1, .length = element_count(of), .inner = 1});
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

std::size_t lines_of(const Counted& counted) {
  return counted.outer * counted.inner;
}

/// The indices of one line.
Indices line_of(const Indices& all, const Counted& counted, std::size_t line) {
  const std::size_t each = all.size() / lines_of(counted);
  Indices own;
  for (std::size_t i = 0; i < each; ++i) {
    own.push_back(all[((line / counted.inner) * each + i) * counted.inner + line % counted.inner]);
  }
  return own;
}

std::size_t element_at(const Counted& counted, std::size_t line, std::size_t at) {
  return ((line / counted.inner) * counted.length + at) * counted.inner + line % counted.inner;
}

bool are_places(Indices indices, std::size_t length) {
  std::ranges::sort(indices);
  const bool inside = indices.empty() ||
                      (indices.front() >= 0 && static_cast<std::size_t>(indices.back()) < length);
  return inside && std::ranges::adjacent_find(indices) == indices.end();
}

bool repeats_along(const Counted& counted, const Indices& all) {
  for (std::size_t line = 0; line < lines_of(counted); ++line) {
    Indices own = line_of(all, counted, line);
    std::ranges::sort(own);
    if (std::ranges::adjacent_find(own) != own.end()) return true;
  }
  return false;
}

/// Whether the indices of one line point at equal numbers. `number_at` gives one of them.
bool is_tie(const Indices& got, const Indices& want, std::size_t length,
            const std::function<double(std::size_t)>& number_at) {
  if (got == want) return true;
  if (!are_places(got, length) || !are_places(want, length)) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double one = number_at(static_cast<std::size_t>(got[i]));
    const double other = number_at(static_cast<std::size_t>(want[i]));
    if (one != other && !(std::isnan(one) && std::isnan(other))) return false;
  }
  return true;
}

bool are_ties_along(const Counted& counted, const Indices& got, const Indices& want,
                    const OutputView& input) {
  const tensor::Readable readable(input.bytes);
  for (std::size_t line = 0; line < lines_of(counted); ++line) {
    const auto number_at = [&](std::size_t at) {
      return tensor::read_element(input.dtype, readable.bytes(), element_at(counted, line, at));
    };
    if (!is_tie(line_of(got, counted, line), line_of(want, counted, line), counted.length,
                number_at)) {
      return false;
    }
  }
  return true;
}

/// `count` numbers of a dtype, in ascending order, no two of them equal. Those of floats are spread
/// over few octaves below 2, so that what is computed of them differs and stays finite. Empty if
/// there are not so many.
std::vector<double> ascending(DType dtype, std::size_t count) {
  constexpr std::size_t kMostIntegers = 32767;  // of 16 bits
  std::vector<double> numbers;
  if (!is_floating(dtype)) {
    if (count > kMostIntegers || size_of(dtype) < 2) return numbers;
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(i));
    return numbers;
  }
  constexpr std::size_t kSmallestOctaves = 6;  // above which 8-bit floats too are not subnormal
  const auto each = static_cast<std::size_t>(0.5 / unit_roundoff(dtype));
  const std::size_t octaves = (count + each - 1) / each;
  if (octaves > kSmallestOctaves) return numbers;
  const std::size_t step = octaves * each / count;
  for (std::size_t i = 0; i < count * step; i += step) {
    const double fraction = 1 + static_cast<double>(i % each) / static_cast<double>(each);
    numbers.push_back(
        std::ldexp(fraction, static_cast<int>(i / each) - static_cast<int>(octaves) + 1));
  }
  return numbers;
}

}  // namespace

std::vector<Counted> ties_in(const OutputView& got, const OutputView& want,
                             const std::vector<OutputView>& inputs) {
  std::vector<Counted> found;
  const bool are_indices = want.dtype == DType::int64 || want.dtype == DType::int32;
  if (!are_indices || got.dtype != want.dtype || got.shape != want.shape || want.bytes.empty() ||
      want.bytes.size() > kMostBytes) {
    return found;
  }
  const Indices own = indices_of(got);
  const Indices expected = indices_of(want);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].bytes.empty() || inputs[i].bytes.size() > kMostBytes) continue;
    for (const Counted& counted : ways_to_count(i, inputs[i].shape, want.shape)) {
      if (are_ties_along(counted, own, expected, inputs[i])) found.push_back(counted);
    }
  }
  return found;
}

bool has_index_twice(const OutputView& got, const OutputView& want) {
  const bool are_indices = want.dtype == DType::int64 || want.dtype == DType::int32;
  if (!are_indices || want.bytes.empty() || want.bytes.size() > kMostBytes) return false;
  const Indices own = indices_of(got);
  const Indices expected = indices_of(want);
  for (std::size_t d = 0; d < want.shape.size(); ++d) {
    if (want.shape[d] < 2) continue;
    const auto at = want.shape.begin() + static_cast<std::ptrdiff_t>(d);
    const Counted along{.input = 0,
                        .outer = product(want.shape.begin(), at),
                        .length = static_cast<std::size_t>(*at),
                        .inner = product(at + 1, want.shape.end())};
    if (!repeats_along(along, expected) && repeats_along(along, own)) return true;
  }
  return false;
}

bool put_in_order(const OutputView& indices, const Counted& counted, Order order, DType dtype,
                  std::span<std::byte> input) {
  auto numbers = ascending(dtype, counted.length);
  if (numbers.empty()) return false;
  if (order == Order::descending) std::ranges::reverse(numbers);
  const Indices all = indices_of(indices);
  for (std::size_t line = 0; line < lines_of(counted); ++line) {
    Indices places = line_of(all, counted, line);
    if (!are_places(places, counted.length)) return false;
    std::vector<bool> named(counted.length);
    for (const std::int64_t place : places) named[static_cast<std::size_t>(place)] = true;
    for (std::size_t at = 0; at < counted.length; ++at) {
      if (!named[at]) places.push_back(static_cast<std::int64_t>(at));
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto at = static_cast<std::size_t>(places[i]);
      tensor::write_element(dtype, input, element_at(counted, line, at), numbers[i]);
    }
  }
  return true;
}

}  // namespace assay::judge
