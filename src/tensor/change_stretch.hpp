#pragma once

#include <cstddef>

#include <device_code/work.hpp>

namespace assay::tensor {

/// Changes the elements from `from` to `to`, each as work::transform_element does.
void transform_stretch(const work::TransformTask& task, std::size_t from, std::size_t to);

/// The same without the registers that some processors lack, for tests.
void transform_stretch_plainly(const work::TransformTask& task, std::size_t from, std::size_t to);

}  // namespace assay::tensor
