#include "wire/contract.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "wire/fields.hpp"
#include "wire/launch_config.hpp"
#include "wire/tensor_spec.hpp"

namespace assay::wire {
namespace {

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
                      not_a("'tensor', 'int', 'float', 'bool' or 'str'", type), "enum");
  return false;
}

std::optional<Argument> read_argument(const Field& field, bool strict) {
  const Object object(field);
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

KernelMetadata read_metadata(const Field& field) {
  const Object object(field);
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
    if (!args->value().is_array()) args->refuse("Input should be a list", "list_type");
    metadata.init_args = args->value().dump();
  }
  if (const auto kwargs = object.find("init_kwargs")) {
    if (!kwargs->value().is_object()) kwargs->refuse("Input should be an object", "dict_type");
    metadata.init_kwargs = kwargs->value().dump();
  }
  return metadata;
}

}  // namespace

bool must_fit(const Field& field, const IoContract& contract) {
  if (tensor_bytes(contract) <= most_bytes()) return true;
  field.refuse(
      fmt::format("the tensors of one kernel hold {} bytes; this machine has {} bytes of memory",
                  tensor_bytes(contract), most_bytes()),
      "too_large");
  return false;
}

std::optional<IoContract> read_contract(const Field& field, bool strict) {
  const Object object(field);
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
  ok = ok && must_fit(*args, contract);
  return ok ? std::optional(std::move(contract)) : std::nullopt;
}

std::optional<Kernel> read_kernel(const Field& field, bool strict) {
  const Object object(field);
  if (!object.valid()) return std::nullopt;
  object.allow_only({"source_code", "kernel_type", "io", "metadata"}, strict);
  const auto source_field = object.require("source_code");
  const auto type_field = object.require("kernel_type");
  auto source = source_field ? source_field->read_string() : std::nullopt;
  const auto type = type_field ? type_field->read_enum(kKernelTypeNames) : std::nullopt;
  Kernel kernel;
  if (const auto io = object.find("io")) kernel.io = read_contract(*io, strict);
  if (const auto metadata = object.find("metadata")) kernel.metadata = read_metadata(*metadata);
  if (strict && source && trimmed(*source).empty()) {
    source_field->refuse("the source is empty", "value_error");
  }
  if (!source || !type) return std::nullopt;
  if (*type == KernelType::cuda && kernel.io && !kernel.io->launch.grid_expressions.empty()) {
    Path grid = field.path();
    grid.insert(grid.end(), {"io", "launch", "grid"});
    field.errors().add(grid, "Expressions are for triton kernels; a cuda kernel takes numbers",
                       "value_error");
    return std::nullopt;
  }
  kernel.source = without_byte_order_mark(*source);
  kernel.type = *type;
  kernel.metadata.takes_first = !strict;
  return kernel;
}

}  // namespace assay::wire
