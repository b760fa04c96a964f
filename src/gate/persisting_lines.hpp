#pragma once

#include "device/cuda_driver.hpp"

namespace assay::gate {

/// A process may have a part of the cache set aside for lines that no sweep pushes out. Takes that
/// part back, and makes ordinary lines of those. It costs next to nothing where there is no such
/// part, and nothing else is then asked of the driver.
void take_back_persisting_lines(const device::CudaDriver& driver);

}  // namespace assay::gate
