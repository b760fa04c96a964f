#include "runner/marshal.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <assay/simt_abi.h>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/io_contract.hpp"
#include "model/runner_protocol.hpp"
#include "tensor/half.hpp"

namespace assay::runner {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(T value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), static_cast<const void*>(&value), sizeof value);
  return bytes;
}

std::string_view describe(const assay_simt_param& param) {
  switch (param.kind) {
    case ASSAY_SIMT_POINTER:
      return "a pointer";
    case ASSAY_SIMT_SIGNED:
    case ASSAY_SIMT_UNSIGNED:
      return "an integer";
    case ASSAY_SIMT_FLOAT:
    case ASSAY_SIMT_HALF:
    case ASSAY_SIMT_BFLOAT16:
      return "a floating-point number";
    case ASSAY_SIMT_BOOL:
      return "a bool";
    default:
      return "a struct, which a contract cannot give";
  }
}

std::unexpected<Error> misfit(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

/// An integer of `size` bytes; the value must fit.
Result<Bytes> integer_bytes(const assay_simt_param& param, std::int64_t value) {
  const auto bits = param.size * 8;
  if (bits < 64) {
    const bool is_signed = param.kind == ASSAY_SIMT_SIGNED;
    const std::int64_t low = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
    const std::int64_t high = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    if (value < low || value > high) {
      return misfit(fmt::format("{} does not fit the kernel's {}-bit {} integer", value, bits,
                                is_signed ? "signed" : "unsigned"));
    }
  }
  Bytes bytes = bytes_of(value);  // little endian: the low bytes come first
  bytes.resize(param.size);
  return bytes;
}

Result<Bytes> real_bytes(const assay_simt_param& param, double value) {
  if (param.kind == ASSAY_SIMT_HALF) return bytes_of(tensor::to_float16(value));
  if (param.kind == ASSAY_SIMT_BFLOAT16) return bytes_of(tensor::to_bfloat16(value));
  if (param.size == sizeof(float)) return bytes_of(static_cast<float>(value));
  return bytes_of(value);
}

struct Convert {
  const assay_simt_param& param;

  Result<Bytes> operator()(std::int64_t value) const {
    switch (param.kind) {
      case ASSAY_SIMT_SIGNED:
      case ASSAY_SIMT_UNSIGNED:
        return integer_bytes(param, value);
      case ASSAY_SIMT_FLOAT:
      case ASSAY_SIMT_HALF:
      case ASSAY_SIMT_BFLOAT16:
        return real_bytes(param, static_cast<double>(value));
      case ASSAY_SIMT_BOOL:
        return bytes_of(value != 0);
      default:
        return misfit(fmt::format("an int is given, the kernel takes {}", describe(param)));
    }
  }
  Result<Bytes> operator()(double value) const {
    switch (param.kind) {
      case ASSAY_SIMT_FLOAT:
      case ASSAY_SIMT_HALF:
      case ASSAY_SIMT_BFLOAT16:
        return real_bytes(param, value);
      case ASSAY_SIMT_SIGNED:
      case ASSAY_SIMT_UNSIGNED:
        if (std::trunc(value) == value && std::abs(value) < 9.2e18) {
          return integer_bytes(param, static_cast<std::int64_t>(value));
        }
        return misfit(fmt::format("{} is given, the kernel takes {}", value, describe(param)));
      default:
        return misfit(fmt::format("a float is given, the kernel takes {}", describe(param)));
    }
  }
  Result<Bytes> operator()(bool value) const {
    return (*this)(static_cast<std::int64_t>(value ? 1 : 0));
  }
  Result<Bytes> operator()(const std::string&) const {
    return misfit("a str cannot be passed to a CUDA kernel");
  }
};

Result<Bytes> convert(const std::variant<ArenaPart, ScalarArg>& value,
                      const assay_simt_param& param, std::byte* arena) {
  if (const auto* part = std::get_if<ArenaPart>(&value)) {
    if (param.kind != ASSAY_SIMT_POINTER) {
      return misfit(
          fmt::format("tensor '{}' is given, the kernel takes {}", part->name, describe(param)));
    }
    return bytes_of(arena + part->offset);
  }
  return std::visit(Convert{param}, std::get<ScalarArg>(value));
}

}  // namespace

Result<Arguments> Arguments::marshal(std::span<const std::variant<ArenaPart, ScalarArg>> values,
                                     std::span<const assay_simt_param> params, std::byte* arena) {
  if (values.size() != params.size()) {
    return misfit(fmt::format("the kernel takes {} arguments, the contract gives {}", params.size(),
                              values.size()));
  }
  Arguments arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto bytes = convert(values[i], params[i], arena);
    if (!bytes) {
      return std::unexpected(
          std::move(bytes).error().while_doing(fmt::format("argument {}", i + 1)));
    }
    arguments.storage_.push_back(std::move(*bytes));
    arguments.pointers_.push_back(arguments.storage_.back().data());
  }
  return arguments;
}

}  // namespace assay::runner
