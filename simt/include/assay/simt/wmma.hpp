#pragma once

#include <bit>
#include <type_traits>

#include "assay/simt/bfloat16.hpp"
#include "assay/simt/half.hpp"
#include "assay/simt/together.hpp"

// Matrix products of a warp. Products are exact. Sums are those of float, double or int; a half
// accumulator is rounded once for each call.
namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

/// What one lane holds of a matrix. Each block of 8 by 8 gives it two neighbours of a row, as
/// hardware lays out an accumulator.
template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  static_assert((K == 16 && (M == 16 || M == 32 || M == 8) && M * N == 256) ||
                    (M == 16 && N == 16 && K == 8) || (M == 8 && N == 8 && K == 4),
                "tensor cores have no such shape");
  static constexpr unsigned kRows = std::is_same_v<Use, matrix_b> ? K : M;
  static constexpr unsigned kColumns = std::is_same_v<Use, matrix_a> ? K : N;

  using element_type = T;
  using storage_element_type = std::conditional_t<std::is_same_v<T, precision::tf32>, float, T>;
  enum { num_elements = kRows * kColumns / 32, num_storage_elements = num_elements };
  storage_element_type x[num_elements];

  static constexpr unsigned row(unsigned lane, unsigned i) {
    if (num_elements == 1) return lane / kColumns;
    return i / 2 % (kRows / 8) * 8 + lane / 4;
  }
  static constexpr unsigned column(unsigned lane, unsigned i) {
    if (num_elements == 1) return lane % kColumns;
    return i / 2 / (kRows / 8) * 8 + lane % 4 * 2 + i % 2;
  }
};

namespace details {

template <class Fragment>
unsigned offset_of(unsigned i, unsigned stride, bool by_rows) {
  const unsigned lane = assay::simt::lane_id();
  const unsigned row = Fragment::row(lane, i);
  const unsigned column = Fragment::column(lane, i);
  return by_rows ? row * stride + column : column * stride + row;
}

template <class Fragment, class T>
void load(Fragment& fragment, const T* from, unsigned stride, bool by_rows) {
  for (unsigned i = 0; i < Fragment::num_elements; ++i) {
    fragment.x[i] = from[offset_of<Fragment>(i, stride, by_rows)];
  }
}

template <class A, class B, class C, class D>
struct Product {
  A a;
  B b;
  C c;
  D d;
};

/// An operand as the multiplier sees it: of a tf32 number only the upper 19 bits.
template <class Sum, class Fragment>
Sum factor(const Fragment& fragment, unsigned i) {
  if constexpr (std::is_same_v<typename Fragment::element_type, precision::tf32>) {
    return std::bit_cast<float>(std::bit_cast<unsigned>(fragment.x[i]) & 0xffffe000U);
  } else if constexpr (std::is_integral_v<Sum> || std::is_same_v<Sum, double>) {
    return static_cast<Sum>(fragment.x[i]);
  } else {
    return static_cast<float>(fragment.x[i]);
  }
}

template <class A, class B, class C, class D>
void multiply(Product<A, B, C, D>* lanes) {
  using T = typename D::storage_element_type;
  using Sum = std::conditional_t<std::is_same_v<T, int> || std::is_same_v<T, double>, T, float>;
  constexpr unsigned kInner = A::kColumns;
  Sum a[A::kRows][kInner];
  Sum b[kInner][B::kColumns];
  Sum sums[D::kRows][D::kColumns];
  for (unsigned lane = 0; lane < 32; ++lane) {
    const Product<A, B, C, D>& of = lanes[lane];
    for (unsigned i = 0; i < A::num_elements; ++i) {
      a[A::row(lane, i)][A::column(lane, i)] = factor<Sum>(of.a, i);
    }
    for (unsigned i = 0; i < B::num_elements; ++i) {
      b[B::row(lane, i)][B::column(lane, i)] = factor<Sum>(of.b, i);
    }
    for (unsigned i = 0; i < C::num_elements; ++i) {
      sums[C::row(lane, i)][C::column(lane, i)] = static_cast<Sum>(of.c.x[i]);
    }
  }
  for (unsigned row = 0; row < D::kRows; ++row) {
    for (unsigned k = 0; k < kInner; ++k) {
      for (unsigned column = 0; column < D::kColumns; ++column) {
        sums[row][column] += a[row][k] * b[k][column];
      }
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < D::num_elements; ++i) {
      lanes[lane].d.x[i] = static_cast<T>(sums[D::row(lane, i)][D::column(lane, i)]);
    }
  }
}

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout, class Value>
void fill_fragment(fragment<Use, M, N, K, T, Layout>& fragment, const Value& value) {
  for (auto& element : fragment.x) element = static_cast<std::decay_t<decltype(element)>>(value);
}

template <class Use, int M, int N, int K, class T, class Layout, class Element>
void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& fragment, const Element* from,
                      unsigned stride, unsigned line = __builtin_LINE()) {
  static_assert(!std::is_void_v<Layout>, "an accumulator is loaded with a layout");
  __syncwarp(0xffffffffU, line);
  details::load(fragment, from, stride, std::is_same_v<Layout, row_major>);
}
template <int M, int N, int K, class T>
void load_matrix_sync(fragment<accumulator, M, N, K, T>& fragment, const T* from, unsigned stride,
                      layout_t layout, unsigned line = __builtin_LINE()) {
  __syncwarp(0xffffffffU, line);
  details::load(fragment, from, stride, layout == mem_row_major);
}

template <int M, int N, int K, class T>
void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& fragment, unsigned stride,
                       layout_t layout, unsigned line = __builtin_LINE()) {
  using Fragment = wmma::fragment<accumulator, M, N, K, T>;
  __syncwarp(0xffffffffU, line);
  for (unsigned i = 0; i < Fragment::num_elements; ++i) {
    to[details::offset_of<Fragment>(i, stride, layout == mem_row_major)] = fragment.x[i];
  }
}

template <int M, int N, int K, class TD, class TA, class LA, class TB, class LB, class TC>
void mma_sync(fragment<accumulator, M, N, K, TD>& d, const fragment<matrix_a, M, N, K, TA, LA>& a,
              const fragment<matrix_b, M, N, K, TB, LB>& b,
              const fragment<accumulator, M, N, K, TC>& c, bool = false,
              unsigned line = __builtin_LINE()) {
  using Product = details::Product<std::decay_t<decltype(a)>, std::decay_t<decltype(b)>,
                                   std::decay_t<decltype(c)>, std::decay_t<decltype(d)>>;
  Product product{a, b, c, {}};
  assay::simt::together(product, [](Product* lanes) { details::multiply(lanes); }, line);
  d = product.d;
}

/// To the nearest of 10 bits of fraction; a tie goes away from zero.
inline float __float_to_tf32(float x) {
  const unsigned bits = std::bit_cast<unsigned>(x);
  if ((bits & 0x7f800000U) == 0x7f800000U) return x;
  return std::bit_cast<float>((bits + 0x1000U) & 0xffffe000U);
}

}  // namespace nvcuda::wmma
