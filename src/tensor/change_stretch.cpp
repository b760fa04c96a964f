#include "tensor/change_stretch.hpp"

#include <cstddef>

#include <device_code/work.hpp>

#include "tensor/kind.hpp"
#include "tensor/wide.hpp"

namespace assay::tensor {
namespace {

/// What transform_element does, without a branch: zeros are written back as they were.
void transform_lanes(work::Kind kind, const work::TransformTask& task, std::size_t from,
                     std::size_t to) {
  const work::TransformTask own = task;  // what is written cannot be part of it
  for (std::size_t i = from; i < to; ++i) {
    const work::Wide bits = work::raw(kind, own.array, i);
    const double value = work::number(kind, bits);
    const work::Wide changed = work::packed_float(kind, work::transformed(own, value));
    work::store_raw(kind, own.array, i, value != 0 ? changed : bits);
  }
}

template <work::Kind kKind>
ASSAY_WIDE void transform_lanes_wide(const work::TransformTask& task, std::size_t from,
                                     std::size_t to) {
  transform_lanes(kKind, task, from, to);
}

}  // namespace

void transform_stretch(const work::TransformTask& task, std::size_t from, std::size_t to) {
  if (!has_wide_registers()) return transform_stretch_plainly(task, from, to);
  with_kind(task.kind, [&](auto kind) { transform_lanes_wide<kind.value>(task, from, to); });
}

void transform_stretch_plainly(const work::TransformTask& task, std::size_t from, std::size_t to) {
  with_kind(task.kind, [&](auto kind) { transform_lanes(kind, task, from, to); });
}

}  // namespace assay::tensor
