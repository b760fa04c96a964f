#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "model/dtype.hpp"
#include "tensor/float8.hpp"
#include "tensor/half.hpp"

namespace assay::tensor {

template <class T>
[[nodiscard]] constexpr T held_to_range(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

/// How elements of a dtype known when compiling are read and written, for loops over arrays; the
/// rules are those of tensor/element.hpp.
template <DType kDType, class T>
struct ElementOf {
  using Stored = T;
  static constexpr bool kFloating = is_floating(kDType);

  [[nodiscard]] static T load(const std::byte* array, std::size_t index) {
    T value;
    std::memcpy(&value, array + index * sizeof(T), sizeof(T));
    return value;
  }
  [[nodiscard]] static double read(const std::byte* array, std::size_t index) {
    const T value = load(array, index);
    if constexpr (kDType == DType::float16) return static_cast<double>(from_float16(value));
    if constexpr (kDType == DType::bfloat16) return static_cast<double>(from_bfloat16(value));
    if constexpr (kDType == DType::float8_e4m3fn) return from_float8_e4m3fn(value);
    if constexpr (kDType == DType::float8_e5m2) return from_float8_e5m2(value);
    return static_cast<double>(value);
  }
  static void write(std::byte* array, std::size_t index, double value) {
    const T stored = convert(value);
    std::memcpy(array + index * sizeof(T), &stored, sizeof(T));
  }

 private:
  [[nodiscard]] static T convert(double value) {
    if constexpr (kDType == DType::float16) return to_float16(value);
    if constexpr (kDType == DType::bfloat16) return to_bfloat16(value);
    if constexpr (kDType == DType::float8_e4m3fn) return to_float8_e4m3fn(value);
    if constexpr (kDType == DType::float8_e5m2) return to_float8_e5m2(value);
    if constexpr (kDType == DType::boolean) return value != 0.0 ? 1 : 0;
    if constexpr (std::floating_point<T>) return static_cast<T>(value);
    if constexpr (std::integral<T>) return held_to_range<T>(value);
  }
};

/// Calls `visit` with the ElementOf of `dtype`.
template <class Visitor>
decltype(auto) with_element(DType dtype, const Visitor& visit) {
  switch (dtype) {
    case DType::float64:
      return visit(ElementOf<DType::float64, double>{});
    case DType::float32:
      return visit(ElementOf<DType::float32, float>{});
    case DType::float16:
      return visit(ElementOf<DType::float16, std::uint16_t>{});
    case DType::bfloat16:
      return visit(ElementOf<DType::bfloat16, std::uint16_t>{});
    case DType::float8_e4m3fn:
      return visit(ElementOf<DType::float8_e4m3fn, std::uint8_t>{});
    case DType::float8_e5m2:
      return visit(ElementOf<DType::float8_e5m2, std::uint8_t>{});
    case DType::int64:
      return visit(ElementOf<DType::int64, std::int64_t>{});
    case DType::int32:
      return visit(ElementOf<DType::int32, std::int32_t>{});
    case DType::int16:
      return visit(ElementOf<DType::int16, std::int16_t>{});
    case DType::int8:
      return visit(ElementOf<DType::int8, std::int8_t>{});
    case DType::uint64:
      return visit(ElementOf<DType::uint64, std::uint64_t>{});
    case DType::uint32:
      return visit(ElementOf<DType::uint32, std::uint32_t>{});
    case DType::uint16:
      return visit(ElementOf<DType::uint16, std::uint16_t>{});
    case DType::uint8:
      return visit(ElementOf<DType::uint8, std::uint8_t>{});
    case DType::boolean:
      return visit(ElementOf<DType::boolean, std::uint8_t>{});
  }
  std::unreachable();
}

}  // namespace assay::tensor
