#include "tensor/element.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include <fmt/core.h>

#include "model/dtype.hpp"
#include "tensor/half.hpp"

namespace assay::tensor {
namespace {

template <class T>
T load(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.subspan(index * sizeof(T)).data(), sizeof(T));
  return value;
}

template <class T>
void store(std::span<std::byte> bytes, std::size_t index, T value) {
  std::memcpy(bytes.subspan(index * sizeof(T)).data(), &value, sizeof(T));
}

template <class T>
T held_to_range(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

/// Calls `visit` with a value of the C++ type that stores an integer dtype.
template <class Visitor>
decltype(auto) with_integer(DType dtype, Visitor visit) {
  switch (dtype) {
    case DType::int64:
      return visit(std::int64_t{});
    case DType::int32:
      return visit(std::int32_t{});
    case DType::int16:
      return visit(std::int16_t{});
    case DType::int8:
      return visit(std::int8_t{});
    case DType::uint64:
      return visit(std::uint64_t{});
    case DType::uint32:
      return visit(std::uint32_t{});
    case DType::uint16:
      return visit(std::uint16_t{});
    default:
      return visit(std::uint8_t{});  // uint8, and bool as it is stored
  }
}

}  // namespace

double read_element(DType dtype, std::span<const std::byte> bytes, std::size_t index) {
  switch (dtype) {
    case DType::float64:
      return load<double>(bytes, index);
    case DType::float32:
      return static_cast<double>(load<float>(bytes, index));
    case DType::float16:
      return static_cast<double>(from_float16(load<std::uint16_t>(bytes, index)));
    case DType::bfloat16:
      return static_cast<double>(from_bfloat16(load<std::uint16_t>(bytes, index)));
    default:
      return with_integer(dtype, [&](auto type) {
        return static_cast<double>(load<decltype(type)>(bytes, index));
      });
  }
}

void write_element(DType dtype, std::span<std::byte> bytes, std::size_t index, double value) {
  switch (dtype) {
    case DType::float64:
      return store(bytes, index, value);
    case DType::float32:
      return store(bytes, index, static_cast<float>(value));
    case DType::float16:
      return store(bytes, index, to_float16(value));
    case DType::bfloat16:
      return store(bytes, index, to_bfloat16(value));
    case DType::boolean:
      return store(bytes, index, static_cast<std::uint8_t>(value != 0.0));
    default:
      return with_integer(
          dtype, [&](auto type) { store(bytes, index, held_to_range<decltype(type)>(value)); });
  }
}

std::string format_element(DType dtype, std::span<const std::byte> bytes, std::size_t index) {
  if (dtype == DType::float64) return fmt::format("{}", load<double>(bytes, index));
  if (is_floating(dtype)) {
    return fmt::format("{}", static_cast<float>(read_element(dtype, bytes, index)));
  }
  return with_integer(
      dtype, [&](auto type) { return fmt::format("{}", load<decltype(type)>(bytes, index)); });
}

}  // namespace assay::tensor
