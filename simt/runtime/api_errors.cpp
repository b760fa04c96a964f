#include <atomic>

#include "api_state.hpp"

namespace assay::simt {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> sticky{cudaSuccess};

/// Failures of a kernel that leave the context of a GPU unusable.
bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

}  // namespace

cudaError_t sticky_error() {
  return sticky.load(std::memory_order_relaxed);
}

cudaError_t remember(cudaError_t error) {
  if (is_sticky(error)) sticky.store(error);
  if (const cudaError_t earlier = sticky_error(); earlier != cudaSuccess) error = earlier;
  if (error != cudaSuccess) last_error = error;
  return error;
}

void forget_errors() {
  sticky.store(cudaSuccess);
  last_error = cudaSuccess;
}

}  // namespace assay::simt

using namespace assay::simt;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define ASSAY_SIMT_ERROR(name, number, text) \
  case name:                                 \
    return #name;
    ASSAY_SIMT_ERRORS(ASSAY_SIMT_ERROR)
#undef ASSAY_SIMT_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define ASSAY_SIMT_ERROR(name, number, text) \
  case name:                                 \
    return text;
    ASSAY_SIMT_ERRORS(ASSAY_SIMT_ERROR)
#undef ASSAY_SIMT_ERROR
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = sticky_error();
  return error;
}

cudaError_t cudaPeekAtLastError() {
  return last_error;
}

cudaError_t assay_simt_remember(cudaError_t error) {
  return remember(error);
}
}
