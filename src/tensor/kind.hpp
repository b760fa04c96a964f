#pragma once

#include <type_traits>
#include <utility>

#include <device_code/work.hpp>

#include "model/dtype.hpp"

namespace assay::tensor {

/// A dtype as the code that GPUs run too knows it.
[[nodiscard]] constexpr work::Kind kind_of(DType dtype) {
  return static_cast<work::Kind>(dtype);
}
static_assert(kind_of(DType::float64) == work::Kind::float64 &&
              kind_of(DType::bfloat16) == work::Kind::bfloat16 &&
              kind_of(DType::float8_e5m2) == work::Kind::float8_e5m2 &&
              kind_of(DType::int64) == work::Kind::int64 &&
              kind_of(DType::int8) == work::Kind::int8 &&
              kind_of(DType::uint64) == work::Kind::uint64 &&
              kind_of(DType::boolean) == work::Kind::boolean && kDTypeNames.size() == 15);

/// Calls `visit` with `kind` as a constant, for loops over arrays.
template <class Visitor>
decltype(auto) with_kind(work::Kind kind, const Visitor& visit) {
  using enum work::Kind;
  switch (kind) {
    case float64:
      return visit(std::integral_constant<work::Kind, float64>{});
    case float32:
      return visit(std::integral_constant<work::Kind, float32>{});
    case float16:
      return visit(std::integral_constant<work::Kind, float16>{});
    case bfloat16:
      return visit(std::integral_constant<work::Kind, bfloat16>{});
    case float8_e4m3fn:
      return visit(std::integral_constant<work::Kind, float8_e4m3fn>{});
    case float8_e5m2:
      return visit(std::integral_constant<work::Kind, float8_e5m2>{});
    case int64:
      return visit(std::integral_constant<work::Kind, int64>{});
    case int32:
      return visit(std::integral_constant<work::Kind, int32>{});
    case int16:
      return visit(std::integral_constant<work::Kind, int16>{});
    case int8:
      return visit(std::integral_constant<work::Kind, int8>{});
    case uint64:
      return visit(std::integral_constant<work::Kind, uint64>{});
    case uint32:
      return visit(std::integral_constant<work::Kind, uint32>{});
    case uint16:
      return visit(std::integral_constant<work::Kind, uint16>{});
    case uint8:
      return visit(std::integral_constant<work::Kind, uint8>{});
    case boolean:
      return visit(std::integral_constant<work::Kind, boolean>{});
  }
  std::unreachable();
}

template <class Visitor>
decltype(auto) with_kind(DType dtype, const Visitor& visit) {
  return with_kind(kind_of(dtype), visit);
}

}  // namespace assay::tensor
