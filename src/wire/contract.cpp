#include "wire/contract.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/machine_memory.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "wire/base64.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

namespace {

constexpr std::int64_t kMaxGridX = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxGridYZ = 65535;
constexpr std::int64_t kMaxBlockXY = 1024;
constexpr std::int64_t kMaxBlockZ = 64;
constexpr std::uint64_t kMaxBlockThreads = 1024;
constexpr std::uint32_t kMaxCluster = 16;  // blocks along one axis
constexpr std::int64_t kMaxSharedBytes = std::int64_t{227}
                                         << 10U;  // what one block can have on sm_90

}  // namespace

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
    count *= static_cast<std::uint64_t>(*value);
    if (count > most_bytes()) {
      return extent.refuse(fmt::format("the tensor would have {} elements or more; this machine "
                                       "has {} bytes of memory",
                                       count, most_bytes()),
                           "too_large");
    }
  }
  return shape;
}

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
  const Object init(field, "TensorInit");
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
                    "Input should be 'randn', 'uniform', 'zeros', 'ones', 'full' or 'arange'",
                    "enum");
  return std::nullopt;
}

/// Literal data carries its own shape and dtype, which win over those of the spec.
bool read_data(const Field& field, TensorArg& tensor, bool strict) {
  const Object data(field, "TensorData");
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
    data.errors().add(data.path_of("compress"), "Input should be 'none' or 'zlib'", "enum");
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

std::optional<TensorArg> read_tensor(const Field& field, bool strict) {
  const Object spec(field, "TensorSpec");
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

std::optional<ScalarArg> read_scalar(const Field& field, std::string_view type) {
  if (type == "int") {
    const auto value = field.read_int();
    return value ? std::optional<ScalarArg>(*value) : std::nullopt;
  }
  if (type == "float") {
    const auto value = field.read_float();
    return value ? std::optional<ScalarArg>(*value) : std::nullopt;
  }
  if (type == "bool") {
    const auto value = field.read_bool();
    return value ? std::optional<ScalarArg>(*value) : std::nullopt;
  }
  auto value = field.read_string();
  return value ? std::optional<ScalarArg>(std::move(*value)) : std::nullopt;
}

bool read_argument_value(const Object& object, std::string_view type, Role role, bool strict,
                         Argument& argument) {
  if (type == "tensor") {
    const auto spec = object.require("tensor_spec");
    if (!spec) return false;
    auto tensor = read_tensor(*spec, strict);
    if (!tensor) return false;
    tensor->role = role;
    argument.value = std::move(*tensor);
    return true;
  }
  if (type == "int" || type == "float" || type == "bool" || type == "str") {
    const auto field = object.require("value");
    if (!field) return false;
    auto scalar = read_scalar(*field, type);
    if (!scalar) return false;
    argument.value = std::move(*scalar);
    return true;
  }
  object.errors().add(object.path_of("type"),
                      "Input should be 'tensor', 'int', 'float', 'bool' or 'str'", "enum");
  return false;
}

std::optional<Argument> read_argument(const Field& field, bool strict) {
  const Object object(field, "ArgSpec");
  if (!object.valid()) return std::nullopt;
  if (strict) object.allow_only({"name", "type", "value", "tensor_spec", "role", "is_meta"});
  const auto name_field = object.require("name");
  const auto type_field = object.require("type");
  const auto name = name_field ? name_field->read_string() : std::nullopt;
  const auto type = type_field ? type_field->read_string() : std::nullopt;
  std::optional<Role> role = Role::input;
  if (const auto role_field = object.find("role")) role = role_field->read_enum(kRoleNames);
  if (!name || !type || !role) return std::nullopt;
  Argument argument{
      .name = *name, .value = {}, .is_meta = object.boolean("is_meta").value_or(false)};
  if (!read_argument_value(object, *type, *role, strict, argument)) return std::nullopt;
  return argument;
}

std::optional<Dim3> read_dim(const Field& field, Dim3 limit, bool strict) {
  const Object object(field, "LaunchDim");
  if (!object.valid()) return std::nullopt;
  if (strict) object.allow_only({"x", "y", "z"});
  Dim3 dim;
  bool ok = true;
  const auto read = [&](std::string_view axis, std::uint32_t& into, std::uint32_t most) {
    const auto member = object.find(axis);
    if (!member) return;
    const auto value = member->read_int_within(1, most);
    ok = ok && value.has_value();
    if (value) into = static_cast<std::uint32_t>(*value);
  };
  read("x", dim.x, limit.x);
  read("y", dim.y, limit.y);
  read("z", dim.z, limit.z);
  return ok ? std::optional(dim) : std::nullopt;
}

constexpr Dim3 kMostBlocks = {.x = kMaxGridX, .y = kMaxGridYZ, .z = kMaxGridYZ};

/// [4, 2]: as Python writes a grid.
std::optional<Dim3> read_dims_in_order(const std::vector<Field>& elements, Dim3 limit) {
  const std::array most = {limit.x, limit.y, limit.z};
  std::array<std::uint32_t, 3> dims = {1, 1, 1};
  bool ok = true;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto value = elements[i].read_int_within(1, most.at(i));
    ok = ok && value.has_value();
    if (value) dims.at(i) = static_cast<std::uint32_t>(*value);
  }
  return ok ? std::optional(Dim3{dims[0], dims[1], dims[2]}) : std::nullopt;
}

/// [32, 8] or {"x": 32, "y": 8}.
std::optional<Dim3> read_extent(const Field& field, Dim3 limit, bool strict) {
  const Json& value = field.value();
  if (!value.is_array()) return read_dim(field, limit, strict);
  if (value.empty() || value.size() > 3) {
    return field.refuse("Input should be one to three numbers, or an object with x, y and z",
                        "launch_dim");
  }
  return read_dims_in_order(*field.read_list(), limit);
}

/// Text that is more than a number, which clients may write as text.
bool is_expression(const Json& item) {
  if (!item.is_string()) return false;
  const std::string& text = item.get_ref<const std::string&>();
  return !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string expression_of(const Json& item) {
  return item.is_string() ? item.get<std::string>() : item.dump();
}

/// "cdiv(n, BLOCK)", ["cdiv(n, BLOCK)", "heads"] or {"x": "cdiv(n, BLOCK)"}: only the kernel's own
/// process can say what they come to.
std::vector<std::string> read_grid_expressions(const Field& field, bool strict) {
  constexpr std::size_t kMaxLength = 1000;
  const Json& grid = field.value();
  std::vector<std::string> expressions;
  if (grid.is_string()) {
    expressions.push_back(grid.get<std::string>());
  } else if (grid.is_array()) {
    std::ranges::transform(grid, std::back_inserter(expressions), expression_of);
  } else if (grid.is_object()) {
    const Object axes(field, "LaunchDim");
    if (strict) axes.allow_only({"x", "y", "z"});
    for (const std::string_view axis : {"x", "y", "z"}) {
      const auto member = axes.find(axis);
      expressions.push_back(member ? expression_of(member->value()) : "1");
    }
  }
  const bool fits = !expressions.empty() && expressions.size() <= 3 &&
                    std::ranges::all_of(expressions, [](const std::string& expression) {
                      return !expression.empty() && expression.size() <= kMaxLength;
                    });
  if (!fits) {
    field.refuse("Input should be an object with x, y and z, or one to three expressions", "grid");
    expressions.clear();
  }
  return expressions;
}

void read_grid(const Field& field, LaunchConfig& launch, bool strict) {
  const Json& grid = field.value();
  const bool has_words =
      std::ranges::any_of(grid, [](const Json& item) { return is_expression(item); });
  if (grid.is_object() && !has_words) {
    launch.grid = read_dim(field, kMostBlocks, strict);
  } else if (grid.is_array() && !grid.empty() && grid.size() <= 3 && !has_words) {
    launch.grid = read_dims_in_order(*field.read_list(), kMostBlocks);
  } else {
    launch.grid_expressions = read_grid_expressions(field, strict);
  }
}

}  // namespace

bool read_launch(const Field& field, LaunchConfig& launch, bool strict) {
  const Object object(field, "LaunchConfig");
  if (!object.valid()) return false;
  if (strict) {
    object.allow_only(
        {"grid", "block", "shared_mem_bytes", "cooperative", "cluster", "num_warps", "num_stages"});
  }
  if (const auto grid = object.find("grid")) read_grid(*grid, launch, strict);
  if (const auto block = object.find("block")) {
    launch.block =
        read_extent(*block, {.x = kMaxBlockXY, .y = kMaxBlockXY, .z = kMaxBlockZ}, strict);
    if (launch.block && launch.block->count() > kMaxBlockThreads) {
      block->refuse(fmt::format("a block has {} threads; 1024 is the most", launch.block->count()),
                    "less_than_equal");
    }
  }
  if (const auto shared = object.find("shared_mem_bytes")) {
    launch.shared_mem_bytes =
        static_cast<std::uint32_t>(shared->read_int_within(0, kMaxSharedBytes).value_or(0));
  }
  launch.cooperative = object.boolean("cooperative").value_or(false);
  if (const auto cluster = object.find("cluster")) {
    launch.cluster =
        read_extent(*cluster, {.x = kMaxCluster, .y = kMaxCluster, .z = kMaxCluster}, strict);
  }
  if (const auto warps = object.find("num_warps")) {
    if (const auto value = warps->read_int_within(1, 32))
      launch.num_warps = static_cast<int>(*value);
  }
  if (const auto stages = object.find("num_stages")) {
    if (const auto value = stages->read_int_within(1, 16)) {
      launch.num_stages = static_cast<int>(*value);
    }
  }
  return true;
}

namespace {

KernelMetadata read_metadata(const Field& field) {
  const Object object(field, "KernelMetadata");
  KernelMetadata metadata;
  metadata.kernel_name = object.string("kernel_name");
  metadata.compiler_options = object.strings("compiler_options");
  if (metadata.compiler_options.empty()) {
    metadata.compiler_options = object.strings("compile_options");  // as some clients spell it
  }
  metadata.name_expressions = object.strings("name_expressions");
  if (const auto backend = object.find("backend")) {
    metadata.backend = backend->read_enum(kCudaCompilerNames).value_or(CudaCompiler::nvrtc);
  }
  metadata.function_name = object.string("function_name");
  metadata.class_name = object.string("class_name");
  metadata.method_name = object.string("method_name");
  metadata.entry_point = object.string("entry_point");
  if (const auto args = object.find("init_args")) {
    if (!args->value().is_array()) args->refuse("Input should be a valid list", "list_type");
    metadata.init_args = args->value().dump();
  }
  if (const auto kwargs = object.find("init_kwargs")) {
    if (!kwargs->value().is_object()) kwargs->refuse("Input should be an object", "dict_type");
    metadata.init_kwargs = kwargs->value().dump();
  }
  return metadata;
}

}  // namespace

std::optional<IoContract> read_contract(const Field& field, bool strict) {
  const Object object(field, "IOContract");
  if (!object.valid()) return std::nullopt;
  if (strict) object.allow_only({"args", "launch"});
  const auto args = object.require("args");
  if (!args) return std::nullopt;
  const auto elements = args->read_list();
  if (!elements) return std::nullopt;
  IoContract contract;
  bool ok = true;
  for (const Field& element : *elements) {
    auto argument = read_argument(element, strict);
    ok = ok && argument.has_value();
    if (argument) contract.args.push_back(std::move(*argument));
  }
  if (const auto launch = object.find("launch"))
    ok = read_launch(*launch, contract.launch, strict) && ok;
  if (ok && tensor_bytes(contract) > most_bytes()) {
    return args->refuse(fmt::format("the tensors of one kernel hold {} bytes; this machine has {} "
                                    "bytes of memory",
                                    tensor_bytes(contract), most_bytes()),
                        "too_large");
  }
  return ok ? std::optional(std::move(contract)) : std::nullopt;
}

std::optional<Kernel> read_kernel(const Field& field, bool strict) {
  const Object object(field, "KernelCode");
  if (!object.valid()) return std::nullopt;
  object.allow_only({"source_code", "kernel_type", "io", "metadata"});
  const auto source_field = object.require("source_code");
  const auto type_field = object.require("kernel_type");
  auto source = source_field ? source_field->read_string() : std::nullopt;
  const auto type = type_field ? type_field->read_enum(kKernelTypeNames) : std::nullopt;
  Kernel kernel;
  if (const auto io = object.find("io")) kernel.io = read_contract(*io, strict);
  if (const auto metadata = object.find("metadata")) kernel.metadata = read_metadata(*metadata);
  if (!source || !type) return std::nullopt;
  if (*type == KernelType::cuda && kernel.io && !kernel.io->launch.grid_expressions.empty()) {
    Path grid = field.path();
    grid.insert(grid.end(), {"io", "launch", "grid"});
    field.errors().add(grid, "Expressions are for triton kernels; a cuda kernel takes numbers",
                       "value_error");
    return std::nullopt;
  }
  kernel.source = std::move(*source);
  kernel.type = *type;
  kernel.metadata.takes_first = !strict;
  return kernel;
}

}  // namespace assay::wire
