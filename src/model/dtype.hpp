#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/names.hpp"

namespace assay {

enum class DType : std::uint8_t {
  float64,
  float32,
  float16,
  bfloat16,
  float8_e4m3fn,
  float8_e5m2,
  int64,
  int32,
  int16,
  int8,
  uint64,
  uint32,
  uint16,
  uint8,
  boolean,
};

inline constexpr NameTable<DType, 15> kDTypeNames = {{
    {DType::float64, "float64"},
    {DType::float32, "float32"},
    {DType::float16, "float16"},
    {DType::bfloat16, "bfloat16"},
    {DType::float8_e4m3fn, "float8_e4m3fn"},
    {DType::float8_e5m2, "float8_e5m2"},
    {DType::int64, "int64"},
    {DType::int32, "int32"},
    {DType::int16, "int16"},
    {DType::int8, "int8"},
    {DType::uint64, "uint64"},
    {DType::uint32, "uint32"},
    {DType::uint16, "uint16"},
    {DType::uint8, "uint8"},
    {DType::boolean, "bool"},
}};

constexpr std::string_view to_string(DType dtype) {
  return name_in(kDTypeNames, dtype);
}

constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
    case DType::int64:
    case DType::uint64:
      return 8;
    case DType::float32:
    case DType::int32:
    case DType::uint32:
      return 4;
    case DType::float16:
    case DType::bfloat16:
    case DType::int16:
    case DType::uint16:
      return 2;
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
    case DType::int8:
    case DType::uint8:
    case DType::boolean:
      return 1;
  }
  std::unreachable();
}

constexpr bool is_floating(DType dtype) {
  return dtype == DType::float64 || dtype == DType::float32 || dtype == DType::float16 ||
         dtype == DType::bfloat16 || dtype == DType::float8_e4m3fn || dtype == DType::float8_e5m2;
}

}  // namespace assay
