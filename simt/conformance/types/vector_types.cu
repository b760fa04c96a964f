// The built-in vector types: make_ functions, components, size and alignment, wide loads.
#include "../conformance.hpp"

using conformance::Buffer;

template <class T>
__device__ double total(T v, int n) {
  const auto* parts = reinterpret_cast<const decltype(v.x)*>(&v);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum = 10 * sum + static_cast<double>(parts[i]);
  return sum;
}

#define MAKE_FOUR(out, name)                    \
  *(out)++ = total(make_##name##1(1), 1);       \
  *(out)++ = total(make_##name##2(1, 2), 2);    \
  *(out)++ = total(make_##name##3(1, 2, 3), 3); \
  *(out)++ = total(make_##name##4(1, 2, 3, 4), 4)

__global__ void make_all(double* out) {
  MAKE_FOUR(out, char);
  MAKE_FOUR(out, uchar);
  MAKE_FOUR(out, short);
  MAKE_FOUR(out, ushort);
  MAKE_FOUR(out, int);
  MAKE_FOUR(out, uint);
  MAKE_FOUR(out, long);
  MAKE_FOUR(out, ulong);
  MAKE_FOUR(out, longlong);
  MAKE_FOUR(out, ulonglong);
  MAKE_FOUR(out, float);
  MAKE_FOUR(out, double);
}

CASE(make_functions_fill_components_in_order) {
  Buffer<double> out(48);
  make_all<<<1, 1>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const double want[4] = {1, 12, 123, 1234};
    return want[i % 4];
  });
}

__global__ void sizes(int* out) {
  int at = 0;
  auto put = [&](int size, int alignment) {
    out[at++] = size;
    out[at++] = alignment;
  };
  put(sizeof(char4), alignof(char4));
  put(sizeof(uchar3), alignof(uchar3));
  put(sizeof(short2), alignof(short2));
  put(sizeof(ushort4), alignof(ushort4));
  put(sizeof(int2), alignof(int2));
  put(sizeof(int3), alignof(int3));
  put(sizeof(uint4), alignof(uint4));
  put(sizeof(float2), alignof(float2));
  put(sizeof(float3), alignof(float3));
  put(sizeof(float4), alignof(float4));
  put(sizeof(longlong2), alignof(longlong2));
  put(sizeof(double2), alignof(double2));
  put(sizeof(double3), alignof(double3));
  put(sizeof(double4), alignof(double4));
  put(sizeof(dim3), alignof(dim3));
}

// The table of the programming guide; device and host must lay structures out alike.
CASE(sizes_and_alignments) {
  constexpr int kTable[30] = {4, 4,  3, 1,  4,  4,  8,  8,  8,  8,  12, 4,  16, 16, 8,
                              8, 12, 4, 16, 16, 16, 16, 16, 16, 24, 8,  32, 16, 12, 4};
  Buffer<int> out(30);
  sizes<<<1, 1>>>(out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) { return kTable[i]; });
  EXPECT_EQ(sizeof(float3), 12u);
  EXPECT_EQ(alignof(float4), 16u);
}

__global__ void scale_by_fours(const float* in, float* out, int quads, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  float4 v = reinterpret_cast<const float4*>(in)[i];
  v.x *= factor;
  v.y *= factor;
  v.z *= factor;
  v.w *= factor;
  reinterpret_cast<float4*>(out)[i] = v;
}

CASE(float4_loads_and_stores) {
  Buffer<float> in(conformance::sequence<float>(1024)), out(1024);
  scale_by_fours<<<2, 128>>>(in.ptr(), out.ptr(), 256, 0.5f);
  EXPECT_EACH(out, [](std::size_t i) { return 0.5f * static_cast<float>(i); });
}

__global__ void swap_components(int2* pairs, uchar4* bytes, double2* doubles) {
  const int i = threadIdx.x;
  pairs[i] = make_int2(pairs[i].y, pairs[i].x);
  const uchar4 b = bytes[i];
  bytes[i] = make_uchar4(b.w, b.z, b.y, b.x);
  doubles[i].x += doubles[i].y;
}

CASE(components_are_read_and_written_alone) {
  std::vector<int2> pairs(32);
  std::vector<uchar4> bytes(32);
  std::vector<double2> doubles(32);
  for (int i = 0; i < 32; ++i) {
    pairs[i] = make_int2(i, -i);
    bytes[i] = make_uchar4(static_cast<unsigned char>(i), 1, 2, 200);
    doubles[i] = make_double2(i, 0.5);
  }
  Buffer<int2> p(pairs);
  Buffer<uchar4> b(bytes);
  Buffer<double2> d(doubles);
  swap_components<<<1, 32>>>(p.ptr(), b.ptr(), d.ptr());
  const auto swapped = p.host();
  const auto reversed = b.host();
  const auto summed = d.host();
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(swapped[i].x, -i);
    EXPECT_EQ(swapped[i].y, i);
    EXPECT_EQ(reversed[i].x, 200);
    EXPECT_EQ(reversed[i].y, 2);
    EXPECT_EQ(reversed[i].z, 1);
    EXPECT_EQ(reversed[i].w, i);
    EXPECT_EQ(summed[i].x, i + 0.5);
    EXPECT_EQ(summed[i].y, 0.5);
  }
}

__device__ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__host__ __device__ inline float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}

__global__ void geometry(float3* out) {
  const float t = static_cast<float>(threadIdx.x);
  out[threadIdx.x] = cross(float3{t, 1, 0}, float3{0, t, 1}) + make_float3(10, 20, 30);
}

CASE(float3_with_operators_of_ones_own) {
  Buffer<float3> out(16);
  geometry<<<1, 16>>>(out.ptr());
  const auto got = out.host();
  for (int i = 0; i < 16; ++i) {
    const float t = static_cast<float>(i);
    EXPECT_EQ(got[i].x, 11.0f);
    EXPECT_EQ(got[i].y, 20.0f - t);
    EXPECT_EQ(got[i].z, 30.0f + t * t);
  }
}

__global__ void dims(unsigned* out, dim3 given) {
  const dim3 defaults, one(7), two(7, 8), copy = given;
  const uint3 plain = make_uint3(1, 2, 3);
  const dim3 from_uint3(plain);
  const dim3 all[5] = {defaults, one, two, copy, from_uint3};
  for (int i = 0; i < 5; ++i) out[i] = all[i].x * 100 + all[i].y * 10 + all[i].z;
}

CASE(dim3_fills_missing_parts_with_one) {
  Buffer<unsigned> out(5);
  dims<<<1, 1>>>(out.ptr(), dim3(4, 5, 6));
  const unsigned want[5] = {111, 711, 781, 456, 123};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}
