#include "judge/compare_stretch.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#include <device_code/work.hpp>

#include "tensor/kind.hpp"
#include "tensor/wide.hpp"

namespace assay::judge {
namespace {

/// One number of each lane.
using Lanes = std::array<double, work::kLanes>;

struct Totals {
  Lanes sums{};
  Lanes greatest{};  // differences
  Lanes used{};      // parts of their limits
};

/// Adds a row of elements, one for each lane, if all of them agree. False, and nothing added, where
/// one does not: then each has to be looked at.
bool add_row_that_agrees(work::Kind kind, const work::CompareTask& task, std::size_t row,
                         Totals& totals) {
  Lanes differences;
  Lanes used;
  unsigned disagree = 0;
  for (std::size_t lane = 0; lane < work::kLanes; ++lane) {
    const double got = work::read(kind, task.got, row + lane);
    const double want = work::read(kind, task.want, row + lane);
    differences[lane] = work::difference_of_numbers(got, want);
    used[lane] = work::part_used(got, want, row + lane, task.bound);
    disagree |= static_cast<unsigned>(!(used[lane] <= 1)) |
                static_cast<unsigned>(work::is_nan(differences[lane]));
  }
  if (disagree != 0) return false;
  for (std::size_t lane = 0; lane < work::kLanes; ++lane) {
    totals.sums[lane] = work::plus(totals.sums[lane], differences[lane]);
    totals.greatest[lane] =
        differences[lane] > totals.greatest[lane] ? differences[lane] : totals.greatest[lane];
    totals.used[lane] = used[lane] > totals.used[lane] ? used[lane] : totals.used[lane];
  }
  return true;
}

/// Integers that agree are the same bytes.
bool is_same_row(work::Kind kind, const work::CompareTask& task, std::size_t row) {
  const std::size_t size = work::size_of(kind);
  return std::memcmp(static_cast<const char*>(task.got) + row * size,
                     static_cast<const char*>(task.want) + row * size, work::kLanes * size) == 0;
}

work::Stretch compare_lanes(work::Kind kind, const work::CompareTask& task, std::size_t from,
                            std::size_t to) {
  work::Stretch found = work::nothing_found();
  Totals totals;
  for (std::size_t row = from; row < to; row += work::kLanes) {
    if (to - row >= work::kLanes) {
      if (work::is_floating(kind) ? add_row_that_agrees(kind, task, row, totals)
                                  : is_same_row(kind, task, row)) {
        continue;
      }
    }
    for (std::size_t i = row; i < to && i < row + work::kLanes; ++i) {
      double& sum = totals.sums[i - row];
      sum = work::plus(sum, work::compare_element(kind, task, i, found));
    }
  }
  for (std::size_t half = work::kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) {
      totals.sums[lane] = work::plus(totals.sums[lane], totals.sums[lane + half]);
    }
  }
  found.sum = totals.sums[0];
  for (std::size_t lane = 0; lane < work::kLanes; ++lane) {
    if (totals.greatest[lane] > found.max) found.max = totals.greatest[lane];
    if (totals.used[lane] > found.used) found.used = totals.used[lane];
  }
  return found;
}

template <work::Kind kKind>
ASSAY_WIDE work::Stretch compare_lanes_wide(const work::CompareTask& task, std::size_t from,
                                            std::size_t to) {
  return compare_lanes(kKind, task, from, to);
}

}  // namespace

work::Stretch compare_stretch(const work::CompareTask& task, std::size_t from, std::size_t to) {
  if (!tensor::has_wide_registers()) return compare_stretch_plainly(task, from, to);
  return tensor::with_kind(
      task.kind, [&](auto kind) { return compare_lanes_wide<kind.value>(task, from, to); });
}

work::Stretch compare_stretch_plainly(const work::CompareTask& task, std::size_t from,
                                      std::size_t to) {
  return tensor::with_kind(task.kind,
                           [&](auto kind) { return compare_lanes(kind, task, from, to); });
}

}  // namespace assay::judge
