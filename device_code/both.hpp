#pragma once

// What is compiled by NVRTC for the GPU and by the host's compiler for the processor.

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ASSAY_BOTH __host__ __device__ inline
#else
#define ASSAY_BOTH constexpr
#endif

namespace assay::both {

using Word = unsigned int;
using Wide = unsigned long long;
static_assert(sizeof(Word) == 4 && sizeof(Wide) == 8);

}  // namespace assay::both
