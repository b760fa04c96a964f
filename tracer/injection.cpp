// What CUDA and NVTX look for in a library that the environment names.

#include "tracer/nvtx_api.hpp"
#include "tracer/nvtx_source.hpp"
#include "tracer/tracer.hpp"

#define ASSAY_EXPORT extern "C" __attribute__((visibility("default")))

// NOLINTBEGIN(readability-identifier-naming): the names are theirs.

/// The driver's, called once while it is initialised (CUDA_INJECTION64_PATH).
ASSAY_EXPORT int InitializeInjection() {
  if (assay::tracer::Tracer::is_wanted()) assay::tracer::Tracer::of_process().attach_device();
  return 1;
}

/// NVTX's, called by the first of its functions that a program calls (NVTX_INJECTION64_PATH), once
/// for each library that has NVTX compiled in.
ASSAY_EXPORT int InitializeInjectionNvtx2(assay::tracer::nvtx::GetTable get_table) {
  return assay::tracer::Tracer::is_wanted() && assay::tracer::attach_to_nvtx(get_table) ? 1 : 0;
}

// NOLINTEND(readability-identifier-naming)
