// extern __shared__: memory whose size comes with the launch.
#include "../conformance.hpp"

using conformance::Buffer;

__global__ void reverse_dynamic(int* data, int n) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = data[blockIdx.x * n + threadIdx.x];
  __syncthreads();
  data[blockIdx.x * n + threadIdx.x] = tile[n - 1 - threadIdx.x];
}

CASE(one_view) {
  Buffer<int> data(conformance::sequence<int>(5 * 48));
  reverse_dynamic<<<5, 48, 48 * sizeof(int)>>>(data.ptr(), 48);
  EXPECT_EACH(data, [](std::size_t i) { return static_cast<int>(i / 48 * 48 + 47 - i % 48); });
}

// The classic layout by hand: one block of bytes cut into arrays, widest type first.
__global__ void three_arrays(double* out, int n) {
  extern __shared__ unsigned char arena[];
  double* doubles = reinterpret_cast<double*>(arena);
  int* ints = reinterpret_cast<int*>(doubles + n);
  char* chars = reinterpret_cast<char*>(ints + n);
  const int t = threadIdx.x;
  doubles[t] = 0.25 * t;
  ints[t] = 1000 + t;
  chars[t] = static_cast<char>(t);
  __syncthreads();
  const int other = (t + 1) % n;
  out[t] = doubles[other] + ints[other] + chars[other];
}

CASE(several_arrays_cut_from_one_block) {
  constexpr int kCount = 60;
  Buffer<double> out(kCount);
  three_arrays<<<1, kCount, kCount * (sizeof(double) + sizeof(int) + sizeof(char))>>>(out.ptr(),
                                                                                      kCount);
  EXPECT_EACH(out, [](std::size_t i) {
    const double other = static_cast<double>((i + 1) % kCount);
    return 0.25 * other + 1000 + other + other;
  });
}

// Every extern __shared__ array starts at the same address, whatever its name and type.
__global__ void two_names(unsigned* out) {
  extern __shared__ unsigned words[];
  extern __shared__ __align__(16) unsigned char bytes[];
  words[threadIdx.x] = 0x01020304u * (threadIdx.x + 1);
  __syncthreads();
  out[threadIdx.x] = bytes[4 * threadIdx.x] + 256u * bytes[4 * threadIdx.x + 3];
}

CASE(two_names_are_one_block) {
  Buffer<unsigned> out(32);
  two_names<<<1, 32, 32 * sizeof(unsigned)>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const unsigned word = 0x01020304u * static_cast<unsigned>(i + 1);
    return (word & 255u) + 256u * (word >> 24);
  });
}

__device__ float sum_of_scratch(int n) {
  extern __shared__ float scratch[];
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += scratch[i];
  return sum;
}

__global__ void read_in_a_function(float* out) {
  extern __shared__ float scratch[];
  scratch[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = sum_of_scratch(blockDim.x);
}

CASE(seen_from_a_device_function) {
  Buffer<float> out(40);
  read_in_a_function<<<1, 40, 40 * sizeof(float)>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t) { return 780.0f; });
}

// A template cannot declare one extern array with two types, hence this well-known helper.
template <class T>
struct SharedMemory {
  __device__ operator T*() {
    extern __shared__ int shared_words[];
    return reinterpret_cast<T*>(shared_words);
  }
};

template <class T>
__global__ void rotate_with_helper(T* data) {
  T* const tile = SharedMemory<T>();
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];
}

CASE(templates_through_a_helper) {
  Buffer<int> ints(conformance::sequence<int>(64));
  Buffer<float> floats(conformance::sequence<float>(64));
  rotate_with_helper<<<1, 64, 64 * sizeof(int)>>>(ints.ptr());
  rotate_with_helper<<<1, 64, 64 * sizeof(float)>>>(floats.ptr());
  EXPECT_EACH(ints, [](std::size_t i) { return static_cast<int>((i + 1) % 64); });
  EXPECT_EACH(floats, [](std::size_t i) { return static_cast<float>((i + 1) % 64); });
}

__global__ void static_beside_dynamic(int* out) {
  __shared__ int fixed[32];
  extern __shared__ int flexible[];
  fixed[threadIdx.x] = threadIdx.x;
  flexible[threadIdx.x] = 100 + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = fixed[31 - threadIdx.x] * 1000 + flexible[31 - threadIdx.x];
}

CASE(static_and_dynamic_do_not_overlap) {
  Buffer<int> out(32);
  static_beside_dynamic<<<1, 32, 32 * sizeof(int)>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int other = 31 - static_cast<int>(i);
    return other * 1000 + 100 + other;
  });
}

__global__ void fill_all(unsigned* sums, int words) {
  extern __shared__ unsigned big[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) big[i] = static_cast<unsigned>(i);
  __syncthreads();
  unsigned sum = 0;
  for (int i = (threadIdx.x * 97) % words, n = 0; n < words / 64; ++n, i = (i + 1) % words) {
    sum += big[i];
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

CASE(more_than_48_kib_after_opting_in) {
  constexpr int kBytes = 96 * 1024, kWords = kBytes / 4;
  EXPECT_OK(cudaFuncSetAttribute(fill_all, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  Buffer<unsigned> sums(2 * 128);
  fill_all<<<2, 128, kBytes>>>(sums.ptr(), kWords);
  EXPECT_EACH(sums, [](std::size_t i) {
    unsigned sum = 0;
    for (unsigned n = 0, at = static_cast<unsigned>(i % 128) * 97; n < kWords / 64; ++n) {
      sum += (at + n) % kWords;
    }
    return sum;
  });
}
