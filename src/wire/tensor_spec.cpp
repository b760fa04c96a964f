#include "wire/tensor_spec.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/machine_memory.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "wire/base64.hpp"
#include "wire/fields.hpp"

namespace assay::wire {
namespace {

std::optional<TensorContent> read_uniform(const Object& init, std::optional<std::int64_t> seed,
                                          DType dtype) {
  const Uniform uniform{.seed = seed, .low = init.real("low"), .high = init.real("high")};
  const double low = uniform.low_or_default();
  const double high = uniform.high_or_default(dtype);
  const auto refuse = [&](std::string_view key, std::string message) {
    init.errors().add(init.path_of(key), std::move(message), "value_error");
    return std::nullopt;
  };
  if (!std::isfinite(low)) return refuse("low", "low should be a finite number");
  if (!std::isfinite(high)) return refuse("high", "high should be a finite number");
  if (dtype == DType::boolean) return uniform;  // 0 or 1, whatever the bounds
  const std::string_view given = uniform.low ? "low" : "high";
  if (low > high) {
    return refuse(given, fmt::format("low should not be above high: {} > {}{}", low, high,
                                     uniform.high ? "" : ", its default for this dtype"));
  }
  if (!is_floating(dtype) && std::ceil(low) > std::floor(high)) {
    return refuse(given, fmt::format("no whole number lies between {} and {}", low, high));
  }
  return uniform;
}

std::optional<TensorContent> read_init(const Field& field, DType dtype, bool strict) {
  const Object init(field);
  if (!init.valid()) return std::nullopt;
  if (strict) {
    init.allow_only({"kind", "seed", "mean", "std", "low", "high", "fill_value", "start", "step"});
  }
  const std::string kind = init.string("kind").value_or("randn");
  const auto seed = init.integer("seed");
  if (kind == "randn") {
    return Randn{.seed = seed,
                 .mean = init.real("mean").value_or(0.0),
                 .std = init.real("std").value_or(1.0)};
  }
  if (kind == "uniform") return read_uniform(init, seed, dtype);
  if (kind == "zeros") return Full{0.0};
  if (kind == "ones") return Full{1.0};
  if (kind == "full") return Full{init.real("fill_value").value_or(0.0)};
  if (kind == "arange") {
    return Arange{.start = init.real("start").value_or(0.0),
                  .step = init.real("step").value_or(1.0)};
  }
  init.errors().add(init.path_of("kind"),
                    not_a("'randn', 'uniform', 'zeros', 'ones', 'full' or 'arange'", kind), "enum");
  return std::nullopt;
}

/// Literal data carries its own shape and dtype, which win over those of the spec.
bool read_data(const Field& field, TensorArg& tensor, bool strict) {
  const Object data(field);
  if (!data.valid()) return false;
  if (strict) data.allow_only({"data_b64", "dtype", "shape", "compress"});
  const auto text_field = data.require("data_b64");
  if (!text_field) return false;
  const auto text = text_field->read_string();
  if (!text) return false;
  tensor.dtype = DType::float32;
  if (const auto dtype = data.find("dtype")) {
    const auto value = dtype->read_enum(kDTypeNames);
    if (!value) return false;
    tensor.dtype = *value;
  }
  tensor.shape.clear();
  if (const auto shape = data.find("shape")) {
    auto value = read_shape(*shape);
    if (!value) return false;
    tensor.shape = std::move(*value);
  }
  const std::string compress = data.string("compress").value_or("none");
  if (compress != "none" && compress != "zlib") {
    data.errors().add(data.path_of("compress"), not_a("'none' or 'zlib'", compress), "enum");
    return false;
  }
  if (!data.errors().hold(tensor.byte_size())) {
    text_field->refuse(too_much_data(), "too_large");
    return false;
  }
  auto bytes = decode_base64(*text);
  if (bytes && compress == "zlib") bytes = inflate_zlib(*bytes, tensor.byte_size());
  if (!bytes) {
    text_field->refuse(bytes.error().message(), "value_error");
    return false;
  }
  if (bytes->size() != tensor.byte_size()) {
    text_field->refuse(fmt::format("the data holds {} bytes, the shape and dtype need {}",
                                   bytes->size(), tensor.byte_size()),
                       "value_error");
    return false;
  }
  tensor.content = Literal{std::move(*bytes)};
  return true;
}

}  // namespace

std::string too_much_data() {
  return fmt::format(
      "the tensors that a request gives as data, in all of its workloads, may hold "
      "{} MiB together",
      Errors::kMostHeld >> 20U);
}

std::uint64_t most_bytes() {
  static const std::uint64_t kMost = machine_memory();
  return kMost;
}

std::optional<Shape> read_shape(const Field& field) {
  const auto extents = field.read_list();
  if (!extents) return std::nullopt;
  Shape shape;
  std::uint64_t count = 1;
  for (const Field& extent : *extents) {
    const auto value = extent.read_int_within(0, std::int64_t{1} << 40U);
    if (!value) return std::nullopt;
    shape.push_back(*value);
    const auto length = static_cast<std::uint64_t>(*value);
    // Divided, because a product of 64 bits could come out small.
    if (length != 0 && count > most_bytes() / length) {
      return extent.refuse(fmt::format("the tensor would have {} times {} elements or more; this "
                                       "machine has {} bytes of memory",
                                       count, length, most_bytes()),
                           "too_large");
    }
    count *= length;
  }
  return shape;
}

std::optional<TensorArg> read_tensor(const Field& field, bool strict) {
  const Object spec(field);
  if (!spec.valid()) return std::nullopt;
  if (strict) spec.allow_only({"shape", "dtype", "init", "data"});
  TensorArg tensor;
  if (const auto data = spec.find("data")) {
    if (!read_data(*data, tensor, strict)) return std::nullopt;
    return tensor;
  }
  if (const auto shape = spec.find("shape")) {
    auto value = read_shape(*shape);
    if (!value) return std::nullopt;
    tensor.shape = std::move(*value);
  }
  if (const auto dtype = spec.find("dtype")) {
    const auto value = dtype->read_enum(kDTypeNames);
    if (!value) return std::nullopt;
    tensor.dtype = *value;
  }
  if (const auto init = spec.find("init")) {
    auto content = read_init(*init, tensor.dtype, strict);
    if (!content) return std::nullopt;
    tensor.content = std::move(*content);
  }
  return tensor;
}

}  // namespace assay::wire
