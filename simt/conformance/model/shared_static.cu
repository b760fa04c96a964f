// __shared__ variables whose size is known when compiling.
#include "../conformance.hpp"

using conformance::Buffer;

__global__ void reverse_in_block(const int* in, int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x, base = blockIdx.x * 64;
  tile[t] = in[base + t];
  __syncthreads();
  out[base + t] = tile[63 - t];
}

CASE(reverse_each_block) {
  Buffer<int> in(conformance::sequence<int>(256)), out(256);
  reverse_in_block<<<4, 64>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i / 64 * 64 + 63 - i % 64); });
}

__global__ void rotate_2d(int* out) {
  __shared__ int tile[8][9];
  tile[threadIdx.y][threadIdx.x] = threadIdx.y * 8 + threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.x][7 - threadIdx.y];
}

CASE(two_dimensional_array_with_padding) {
  Buffer<int> out(64);
  rotate_2d<<<1, dim3(8, 8)>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i % 8 * 8 + 7 - i / 8); });
}

struct Particle {
  double mass;
  float position[3];
  char tag;
};

__global__ void several_arrays(double* out) {
  __shared__ int numbers[32];
  __shared__ double weights[32];
  __shared__ Particle particles[32];
  __shared__ char letters[32];
  const int t = threadIdx.x;
  numbers[t] = t;
  weights[t] = 0.5 * t;
  particles[t] = Particle{1.0 + t, {1.0f * t, 2.0f * t, 3.0f * t}, static_cast<char>(t)};
  letters[t] = static_cast<char>(100 - t);
  __syncthreads();
  const int other = 31 - t;
  const Particle& p = particles[other];
  out[t] = numbers[other] + weights[other] + p.mass + p.position[2] + p.tag + letters[other];
}

CASE(several_arrays_of_different_types) {
  Buffer<double> out(32);
  several_arrays<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const double o = 31.0 - static_cast<double>(i);
    return o + 0.5 * o + (1 + o) + 3 * o + o + (100 - o);
  });
}

__global__ void scalar_from_one_thread(int* out) {
  __shared__ int chosen;
  __shared__ float4 quad;
  if (threadIdx.x == blockDim.x / 2) {
    chosen = 1000 * blockIdx.x + threadIdx.x;
    quad = make_float4(1, 2, 3, static_cast<float>(blockIdx.x));
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = chosen + static_cast<int>(quad.z + quad.w);
}

CASE(scalars_are_shared_within_a_block_only) {
  Buffer<int> out(50 * 20);
  scalar_from_one_thread<<<50, 20>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int block = static_cast<int>(i / 20);
    return 1000 * block + 10 + 3 + block;
  });
}

// The variable lives for the block, not for the call: both calls see the same array.
__device__ int* block_scratch() {
  __shared__ int scratch[64];
  return scratch;
}

__global__ void through_a_function(int* out) {
  block_scratch()[threadIdx.x] = threadIdx.x * threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = block_scratch()[(threadIdx.x + 1) % 64];
}

CASE(declared_in_a_device_function) {
  Buffer<int> out(64);
  through_a_function<<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int next = static_cast<int>(i + 1) % 64;
    return next * next;
  });
}

template <class T, int N>
__global__ void rotate_left(T* out, int by) {
  __shared__ T tile[N];
  tile[threadIdx.x] = static_cast<T>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + by) % N];
}

CASE(size_and_type_from_template_arguments) {
  Buffer<double> doubles(48);
  Buffer<short> shorts(96);
  rotate_left<double, 48><<<1, 48>>>(doubles.ptr(), 5);
  rotate_left<short, 96><<<1, 96>>>(shorts.ptr(), 90);
  EXPECT_EACH(doubles, [](std::size_t i) { return static_cast<double>((i + 5) % 48); });
  EXPECT_EACH(shorts, [](std::size_t i) { return static_cast<short>((i + 90) % 96); });
}

__global__ void ping_pong(int* out, int rounds) {
  __shared__ int buffer[2][33];
  const int t = threadIdx.x;
  buffer[0][t] = t;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    const int now = round % 2;
    buffer[1 - now][t] = buffer[now][(t + 1) % 33] + 1;
    __syncthreads();
  }
  out[t] = buffer[rounds % 2][t];
}

CASE(double_buffer_over_many_rounds) {
  Buffer<int> out(33);
  ping_pong<<<1, 33>>>(out.ptr(), 70);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>((i + 70) % 33) + 70; });
}

__global__ void wide_alignment(unsigned long long* out) {
  __shared__ char odd;
  __shared__ __align__(16) char aligned[64];
  __shared__ double2 pairs[4];
  if (threadIdx.x == 0) {
    odd = 1;
    out[0] = reinterpret_cast<unsigned long long>(aligned) % 16;
    out[1] = reinterpret_cast<unsigned long long>(pairs) % alignof(double2);
    out[2] = odd;
  }
}

CASE(alignment_is_respected) {
  Buffer<unsigned long long> out(3);
  wide_alignment<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return i == 2 ? 1ull : 0ull; });
}
