#include "cli/contract_draft.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "compile/kernel_signature.hpp"
#include "model/dtype.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

using compile::KernelParameter;
using wire::Value;

// One size is all of them; of several, two make as many: 32 rows of 32 columns.
constexpr int kElements = 1024;
constexpr int kSide = 32;
constexpr int kBlock = 256;

bool is_float(DType dtype) {
  return dtype == DType::float64 || dtype == DType::float32 || dtype == DType::float16 ||
         dtype == DType::bfloat16;
}

bool is_size(const KernelParameter& parameter) {
  return !parameter.is_pointer && !is_float(*parameter.dtype) && *parameter.dtype != DType::boolean;
}

Value tensor(const KernelParameter& parameter, const std::string& name) {
  Value::Members spec = {{"shape", Value::Elements{kElements}},
                         {"dtype", to_string(*parameter.dtype)}};
  if (parameter.is_const) spec.emplace_back("init", Value::Members{{"kind", "randn"}});
  return Value::Members{{"name", name},
                        {"type", "tensor"},
                        {"role", parameter.is_const ? "input" : "output"},
                        {"tensor_spec", std::move(spec)}};
}

Value scalar(const KernelParameter& parameter, const std::string& name, int size) {
  if (*parameter.dtype == DType::boolean) {
    return Value::Members{{"name", name}, {"type", "bool"}, {"value", true}};
  }
  if (is_float(*parameter.dtype)) {
    return Value::Members{{"name", name}, {"type", "float"}, {"value", 1.5}};
  }
  return Value::Members{{"name", name}, {"type", "int"}, {"value", size}};
}

}  // namespace

Result<Value> draft_contract(const compile::KernelSignature& signature) {
  for (const KernelParameter& parameter : signature.parameters) {
    if (parameter.dtype) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: no contract can pass the parameter '{}': pointers to numbers, "
                            "numbers and bool can be passed",
                            signature.name, parameter.type));
  }
  const auto sizes = std::ranges::count_if(signature.parameters, is_size);
  Value::Elements args;
  for (const KernelParameter& parameter : signature.parameters) {
    const std::string name =
        parameter.name.empty() ? fmt::format("arg{}", args.size()) : parameter.name;
    args.push_back(parameter.is_pointer ? tensor(parameter, name)
                                        : scalar(parameter, name, sizes > 1 ? kSide : kElements));
  }
  return Value::Members{{"args", std::move(args)},
                        {"launch", Value::Members{{"grid", Value::Elements{kElements / kBlock}},
                                                  {"block", Value::Elements{kBlock}}}}};
}

}  // namespace assay::cli
