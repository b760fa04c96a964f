// Properties, attributes, limits and occupancy: sane numbers that agree with each other.
#include "../conformance.hpp"

using conformance::Buffer;

__global__ void write_index(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}

static int attribute(cudaDeviceAttr which) {
  int value = -1;
  EXPECT_OK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

CASE(properties_are_sane) {
  int count = 0, device = -1;
  EXPECT_OK(cudaGetDeviceCount(&count));
  EXPECT_TRUE(count >= 1);
  EXPECT_OK(cudaSetDevice(0));
  EXPECT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);
  cudaDeviceProp properties{};
  EXPECT_OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT_TRUE(std::strlen(properties.name) > 0);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(properties.maxThreadsDim[0], 1024);
  EXPECT_EQ(properties.maxThreadsDim[1], 1024);
  EXPECT_EQ(properties.maxThreadsDim[2], 64);
  EXPECT_EQ(properties.maxGridSize[0], 2147483647);
  EXPECT_EQ(properties.maxGridSize[1], 65535);
  EXPECT_EQ(properties.maxGridSize[2], 65535);
  EXPECT_TRUE(properties.multiProcessorCount >= 1);
  EXPECT_TRUE(properties.major >= 7);
  EXPECT_TRUE(properties.totalGlobalMem > (1u << 28));
  EXPECT_TRUE(properties.sharedMemPerBlock >= 48 * 1024);
  EXPECT_TRUE(properties.sharedMemPerBlockOptin >= properties.sharedMemPerBlock);
  Buffer<int> out(100);
  write_index<<<2, properties.warpSize * 2>>>(out.ptr(), 100);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i); });
}

CASE(attributes_agree_with_properties) {
  cudaDeviceProp properties{};
  EXPECT_OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT_EQ(attribute(cudaDevAttrWarpSize), properties.warpSize);
  EXPECT_EQ(attribute(cudaDevAttrMaxThreadsPerBlock), properties.maxThreadsPerBlock);
  EXPECT_EQ(attribute(cudaDevAttrMultiProcessorCount), properties.multiProcessorCount);
  EXPECT_EQ(attribute(cudaDevAttrComputeCapabilityMajor), properties.major);
  EXPECT_EQ(attribute(cudaDevAttrComputeCapabilityMinor), properties.minor);
  EXPECT_EQ(static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock)),
            properties.sharedMemPerBlock);
  EXPECT_EQ(static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)),
            properties.sharedMemPerBlockOptin);
  EXPECT_EQ(attribute(cudaDevAttrMaxGridDimX), properties.maxGridSize[0]);
  EXPECT_EQ(attribute(cudaDevAttrCooperativeLaunch), 1);
  EXPECT_TRUE(attribute(cudaDevAttrMaxThreadsPerMultiProcessor) >= 1024);
  Buffer<int> out(32);
  write_index<<<1, attribute(cudaDevAttrWarpSize)>>>(out.ptr(), 32);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i); });
}

CASE(versions_and_limits) {
  int driver = 0, runtime = 0;
  EXPECT_OK(cudaDriverGetVersion(&driver));
  EXPECT_OK(cudaRuntimeGetVersion(&runtime));
  EXPECT_TRUE(runtime >= 11000 && driver >= runtime / 1000 * 1000);
  EXPECT_TRUE(CUDART_VERSION >= 11000);
  std::size_t stack = 0, heap = 0;
  EXPECT_OK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  EXPECT_OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  EXPECT_TRUE(stack >= 1024 && heap >= (1u << 20));
  EXPECT_OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  EXPECT_OK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  EXPECT_TRUE(stack >= 4096);
  Buffer<int> out(8);
  write_index<<<1, 8>>>(out.ptr(), 8);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i); });
}

__global__ void uses_shared(int* out) {
  __shared__ int tile[256];
  extern __shared__ int more[];
  tile[threadIdx.x] = threadIdx.x;
  more[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x] + more[threadIdx.x];
}

CASE(function_attributes) {
  cudaFuncAttributes attributes{};
  EXPECT_OK(cudaFuncGetAttributes(&attributes, uses_shared));
  EXPECT_TRUE(attributes.sharedSizeBytes >= 1024 && attributes.sharedSizeBytes < 8192);
  EXPECT_TRUE(attributes.maxThreadsPerBlock >= 256 && attributes.maxThreadsPerBlock <= 1024);
  constexpr int kBytes = 64 * 1024;
  EXPECT_OK(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  EXPECT_OK(cudaFuncSetAttribute(uses_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  EXPECT_OK(cudaFuncSetCacheConfig(uses_shared, cudaFuncCachePreferShared));
  EXPECT_OK(cudaFuncGetAttributes(&attributes, uses_shared));
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, kBytes);
  Buffer<int> out(256);
  uses_shared<<<1, 256, kBytes>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return 256 - static_cast<int>(i); });
}

CASE(occupancy) {
  int few = 0, many = 0;
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, write_index, 64, 0));
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, write_index, 1024, 0));
  EXPECT_TRUE(few >= 1 && many >= few);
  EXPECT_TRUE(few * 1024 <= attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  int grid = 0, block = 0;
  EXPECT_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, write_index, 0, 0));
  EXPECT_TRUE(grid >= 1 && block >= 32 && block <= 1024 && block % 32 == 0);
  constexpr int kCount = 3000;
  Buffer<int> out(kCount);
  write_index<<<(kCount + block - 1) / block, block>>>(out.ptr(), kCount);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i); });
}
