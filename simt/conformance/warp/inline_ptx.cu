// Inline PTX: arithmetic, memory, and the instructions of tensor cores with the fragments that the
// PTX manual describes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../conformance.hpp"

using conformance::Buffer;

__global__ void integers(unsigned* out) {
  const unsigned i = threadIdx.x;
  unsigned lane, logic, bytes, field, inserted, shifted, low, high, chosen;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("lop3.b32 %0, %1, %2, %3, 0xEA;" : "=r"(logic) : "r"(i), "r"(6), "r"(32));  // (a & b) | c
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(bytes) : "r"(i), "r"(i + 1));
  asm("bfe.u32 %0, %1, 1, 3;" : "=r"(field) : "r"(i));
  asm("bfi.b32 %0, %1, %2, 4, 2;" : "=r"(inserted) : "r"(i), "r"(0xf0fU));
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(shifted) : "r"(0x80000000U), "r"(i), "r"(1));
  unsigned long long wide;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(wide) : "r"(0x10000000U + i), "r"(32), "l"(7ULL));
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(wide));
  asm("{ .reg .pred p, q; setp.lt.u32 p, %1, 5; setp.ne.u32 q, %1, 3; and.pred p, p, q;\n\t"
      "selp.u32 %0, 1, 2, p; @!p add.u32 %0, %0, 10; }"
      : "=r"(chosen)
      : "r"(i));
  const unsigned all[] = {lane, logic, bytes, field, inserted, shifted, low, high, chosen};
  for (unsigned k = 0; k < 9; ++k) out[i * 9 + k] = all[k];
}

CASE(integer_instructions) {
  Buffer<unsigned> out(64 * 9);
  integers<<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) -> unsigned {
    const auto i = static_cast<unsigned>(at / 9);
    const unsigned long long wide = (0x10000000ULL + i) * 32 + 7;
    const unsigned want[] = {i % 32,
                             (i & 6) | 32,
                             (i & 0xffff) | (i + 1) << 16,
                             i >> 1 & 7,
                             (0xf0fU & ~0x30U) | (i & 3) << 4,
                             i << 1 | 1,
                             static_cast<unsigned>(wide),
                             static_cast<unsigned>(wide >> 32),
                             i < 5 && i != 3 ? 1U : 12U};
    return want[at % 9];
  });
}

__device__ __forceinline__ float ex2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__global__ void floats(float* out) {
  const float x = static_cast<float>(threadIdx.x) - 8;
  float product, root;
  asm("fma.rn.f32 %0, %1, 0f40000000, %2;" : "=f"(product) : "f"(x), "f"(0.5f));
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x * x));
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x), "f"(x + 1));
  int whole;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(whole) : "f"(x * 0.75f));
  float sum = 1;
  asm volatile("add.f32 %0, %0, %1;" : "+f"(sum) : "f"(x));
  float* const to = out + threadIdx.x * 6;
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(ex2(x)), "f"(product) : "memory");
  asm volatile("st.global.f32 [%0+8], %1;" ::"l"(to), "f"(root));
  to[3] = __low2float(*reinterpret_cast<__half2*>(&pair)) * 100 +
          __high2float(*reinterpret_cast<__half2*>(&pair));
  to[4] = static_cast<float>(whole);
  to[5] = sum;
}

CASE(float_instructions) {
  Buffer<float> out(16 * 6);
  floats<<<1, 16>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const float x = static_cast<float>(at / 6) - 8;
    const float want[] = {std::exp2(x),      2 * x + 0.5F,          std::fabs(x),
                          (x + 1) * 100 + x, std::trunc(x * 0.75F), 1 + x};
    return want[at % 6];
  });
}

#define CP_ASYNC(to, from, size, bytes)                                                         \
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;\n" ::"r"(to), "l"(from), \
               "n"(size), "r"(bytes))

template <int Groups>
__device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Groups) : "memory");
}

__global__ void copied(const float* in, float* out, int n) {
  __shared__ float tile[128];
  const int i = threadIdx.x * 4;
  const int left = (n - i) * 4;
  const int bytes = left < 0 ? 0 : left > 16 ? 16 : left;
  CP_ASYNC(static_cast<unsigned>(__cvta_generic_to_shared(&tile[i])), in + i, 16, bytes);
  asm volatile("cp.async.commit_group;\n" ::);
  wait_for_groups<0>();
  asm volatile("bar.sync 0;" ::: "memory");
  float value;
  asm volatile("ld.shared.f32 %0, [%1];"
               : "=f"(value)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&tile[127 - threadIdx.x]))));
  out[threadIdx.x] = value;
}

CASE(asynchronous_copies_fill_up_with_zeros) {
  std::vector<float> values(128);
  for (int i = 0; i < 128; ++i) values[i] = static_cast<float>(i + 1);
  Buffer<float> in(values);
  Buffer<float> out(32);
  copied<<<1, 32>>>(in.ptr(), out.ptr(), 110);
  EXPECT_EACH(out,
              [](std::size_t i) { return 127 - i < 110 ? static_cast<float>(128 - i) : 0.0F; });
}

__global__ void exchanged(int* out, int* total) {
  int other, before;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;"
               : "=r"(other)
               : "r"(static_cast<int>(threadIdx.x)));
  asm volatile("atom.global.add.s32 %0, [%1], %2;" : "=r"(before) : "l"(total), "r"(2));
  asm volatile("red.global.add.s32 [%0], 1;" ::"l"(total));
  out[threadIdx.x] = other + (before < 0 ? 1000 : 0);
}

CASE(shuffles_and_atomics) {
  Buffer<int> out(64);
  Buffer<int> total(std::vector<int>{0});
  exchanged<<<1, 64>>>(out.ptr(), total.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i ^ 1); });
  EXPECT_EACH(total, [](std::size_t) { return 192; });
}

template <bool Transposed>
__global__ void matrices(unsigned short* out) {
  __shared__ __align__(16) unsigned short tile[32][8];
  for (int c = 0; c < 8; ++c)
    tile[threadIdx.x][c] = static_cast<unsigned short>(threadIdx.x * 8 + c);
  __syncwarp();
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(tile[threadIdx.x]));
  unsigned r[4];
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
  } else {
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
  }
  for (int m = 0; m < 4; ++m) {
    out[(m * 32 + threadIdx.x) * 2] = static_cast<unsigned short>(r[m]);
    out[(m * 32 + threadIdx.x) * 2 + 1] = static_cast<unsigned short>(r[m] >> 16);
  }
}

CASE(matrices_are_loaded_by_rows_or_columns) {
  Buffer<unsigned short> rows(256), columns(256);
  matrices<false><<<1, 32>>>(rows.ptr());
  matrices<true><<<1, 32>>>(columns.ptr());
  // Thread t holds elements 2 (t mod 4) and the next of row t / 4.
  EXPECT_EACH(rows, [](std::size_t i) { return static_cast<unsigned short>(i); });
  EXPECT_EACH(columns, [](std::size_t i) {
    return static_cast<unsigned short>(i / 64 * 64 + i % 8 * 8 + i % 64 / 8);
  });
}

__host__ __device__ int factor(int seed, int row, int column) {
  return (row * 7 + column * 3 + seed) % 9 - 4;
}
int product(int row, int column, int inner) {
  int sum = 1;
  for (int k = 0; k < inner; ++k) sum += factor(1, row, k) * factor(2, k, column);
  return sum;
}

/// Registers of `Parts` neighbours each, as the manual lays out A (16 rows) and B (8 columns).
template <class T, int Registers, bool IsA>
__device__ void fragment(unsigned (&registers)[Registers]) {
  constexpr int kParts = 4 / static_cast<int>(sizeof(T));
  const int group = static_cast<int>(threadIdx.x) / 4, place = static_cast<int>(threadIdx.x) % 4;
  for (int r = 0; r < Registers; ++r) {
    T parts[kParts];
    for (int p = 0; p < kParts; ++p) {
      const int k = (IsA ? r / 2 : r) * 4 * kParts + place * kParts + p;
      const int value = IsA ? factor(1, group + r % 2 * 8, k) : factor(2, k, group);
      parts[p] = static_cast<T>(static_cast<float>(value));
    }
    memcpy(&registers[r], parts, 4);
  }
}

__device__ void put(float* out, const float (&d)[4]) {
  for (int i = 0; i < 4; ++i) {
    out[(threadIdx.x / 4 + i / 2 * 8) * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
  }
}

__global__ void halves_16(float* out) {
  unsigned a[4], b[2];
  fragment<__half, 4, true>(a);
  fragment<__half, 2, false>(b);
  float d[4] = {1, 1, 1, 1};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  put(out, d);
}

__global__ void halves_8(float* out) {
  unsigned a[2], b[1];
  fragment<__half, 2, true>(a);
  fragment<__half, 1, false>(b);
  float d[4] = {1, 1, 1, 1};
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  put(out, d);
}

__global__ void bfloats(float* out) {
  unsigned a[4], b[2];
  fragment<__nv_bfloat16, 4, true>(a);
  fragment<__nv_bfloat16, 2, false>(b);
  float d[4] = {1, 1, 1, 1};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  put(out, d);
}

__global__ void tf32(float* out) {
  unsigned a[4], b[2];
  fragment<float, 4, true>(a);
  fragment<float, 2, false>(b);
  float d[4] = {1, 1, 1, 1};
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  put(out, d);
}

CASE(products_with_sums_of_floats) {
  Buffer<float> out(128);
  const auto check = [&](int inner) {
    EXPECT_EACH(out, [&](std::size_t i) {
      return static_cast<float>(product(static_cast<int>(i / 8), static_cast<int>(i % 8), inner));
    });
  };
  halves_16<<<1, 32>>>(out.ptr());
  check(16);
  halves_8<<<1, 32>>>(out.ptr());
  check(8);
  bfloats<<<1, 32>>>(out.ptr());
  check(16);
  tf32<<<1, 32>>>(out.ptr());
  check(8);
}

__global__ void bytes(int* out) {
  unsigned a[4], b[2];
  fragment<signed char, 4, true>(a);
  fragment<signed char, 2, false>(b);
  int d[4];
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(1), "r"(1), "r"(1),
        "r"(1));
  for (int i = 0; i < 4; ++i) {
    out[(threadIdx.x / 4 + i / 2 * 8) * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
  }
}

__global__ void half_sums(__half* out) {
  unsigned a[4], b[2], d[2];
  fragment<__half, 4, true>(a);
  fragment<__half, 2, false>(b);
  const unsigned ones = 0x3c003c00U;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
      "{%8, %9};"
      : "=r"(d[0]), "=r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(ones), "r"(ones));
  for (int r = 0; r < 2; ++r)
    memcpy(out + (threadIdx.x / 4 + r * 8) * 8 + threadIdx.x % 4 * 2, &d[r], 4);
}

CASE(products_with_other_sums) {
  Buffer<int> whole(128);
  bytes<<<1, 32>>>(whole.ptr());
  EXPECT_EACH(whole, [](std::size_t i) {
    return product(static_cast<int>(i / 8), static_cast<int>(i % 8), 32);
  });
  Buffer<__half> halves(128);
  half_sums<<<1, 32>>>(halves.ptr());
  EXPECT_EACH(halves, [](std::size_t i) {
    return __half(
        static_cast<float>(product(static_cast<int>(i / 8), static_cast<int>(i % 8), 16)));
  });
}
