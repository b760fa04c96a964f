#pragma once

#include <cstddef>

#include <device_code/work.hpp>

namespace assay::judge {

/// Compares the elements from `from`, where a stretch begins, to `to`. Gives what
/// work::compare_element finds in each, and the sum of their differences.
[[nodiscard]] work::Stretch compare_stretch(const work::CompareTask& task, std::size_t from,
                                            std::size_t to);

/// The same without the registers that some processors lack, for tests.
[[nodiscard]] work::Stretch compare_stretch_plainly(const work::CompareTask& task, std::size_t from,
                                                    std::size_t to);

}  // namespace assay::judge
