#pragma once

// CUDA's declaration specifiers. The translator rewrites __shared__, launches and __noinline__. The
// first two are not C++, and libstdc++ uses the last word itself.
#define __host__
#define __device__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __cluster_dims__(...)
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_surface_type__
#define __device_builtin_texture_type__
#define CUDARTAPI
#define CUDART_CB

// Inlined into the loop over threads, so that the compiler sees one loop. No kernel can call
// itself, so this never meets recursion.
#define __global__ __attribute__((always_inline))
