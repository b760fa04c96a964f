#include "wire/workloads.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/text.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/request.hpp"
#include "model/workload.hpp"
#include "wire/contract.hpp"
#include "wire/fields.hpp"
#include "wire/launch_config.hpp"
#include "wire/tensor_spec.hpp"

namespace assay::wire {
namespace {

constexpr std::size_t kMostWorkloads = 16;

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, is_word);
}

/// A list is the shape of a tensor.
void change_tensor(const Field& given, TensorArg& tensor) {
  if (std::holds_alternative<Literal>(tensor.content)) {
    given.refuse("The tensor's elements are given in `data`, so its shape cannot change",
                 "value_error");
    return;
  }
  if (auto shape = read_shape(given)) tensor.shape = std::move(*shape);
}

void change_scalar(const Field& given, ScalarArg& scalar) {
  if (std::holds_alternative<std::int64_t>(scalar)) {
    if (const auto value = given.read_int()) scalar = *value;
  } else if (std::holds_alternative<double>(scalar)) {
    if (const auto value = given.read_float()) scalar = *value;
  } else if (std::holds_alternative<bool>(scalar)) {
    if (const auto value = given.read_bool()) scalar = *value;
  } else if (const auto value = given.read_string()) {
    scalar = *value;
  }
}

/// False where the contract has no argument of that name.
bool change_argument(const Field& given, std::string_view name, std::optional<IoContract>& io) {
  if (!io) return false;
  const auto found = std::ranges::find(io->args, name, &Argument::name);
  if (found == io->args.end()) return false;
  if (auto* tensor = std::get_if<TensorArg>(&found->value)) {
    change_tensor(given, *tensor);
  } else {
    change_scalar(given, std::get<ScalarArg>(found->value));
  }
  return true;
}

void read_arguments(const Object& object, Workload& workload) {
  const auto args = object.find("args");
  if (!args || !Object(*args).valid()) return;
  if (args->value().size() > kLongestList) {
    args->refuse(fmt::format("may have {} arguments at most", kLongestList), "too_long");
    return;
  }
  for (const auto& [name, value] : args->value().items()) {
    Path path = args->path();
    path.push_back(name);
    const Field given(value, std::move(path), args->errors());
    const bool of_reference = change_argument(given, name, workload.reference_io);
    const bool of_candidate = change_argument(given, name, workload.candidate_io);
    if (!of_reference && !of_candidate) {
      given.refuse("No contract of the request has an argument of this name", "value_error");
    }
  }
}

void read_constants(const Object& object, Workload& workload) {
  const auto constants = object.find("constants");
  if (!constants || !Object(*constants).valid()) return;
  for (const auto& [name, value] : constants->value().items()) {
    Path path = constants->path();
    path.push_back(name);
    const Field given(value, std::move(path), constants->errors());
    if (!is_name(name)) given.refuse("This is not a name of a Python variable", "value_error");
    if (value.is_object() || value.is_null()) {
      given.refuse("Input should be a number, a text, true, false or a list of them",
                   "value_error");
    }
    workload.constants.emplace_back(name, value.dump());
  }
}

void read_launch_of(const Object& object, std::string_view key, std::optional<IoContract>& io) {
  const auto launch = object.find(key);
  if (!launch) return;
  if (!io) {
    launch->refuse("The kernel has no contract", "value_error");
    return;
  }
  io->launch = {};
  (void)read_launch(*launch, io->launch, true);
}

/// Of the tensors that are given as data: each workload has copies of them.
std::uint64_t data_bytes(const std::optional<IoContract>& io) {
  std::uint64_t bytes = 0;
  if (!io) return bytes;
  for (const Argument& argument : io->args) {
    const auto* tensor = std::get_if<TensorArg>(&argument.value);
    const auto* data = tensor == nullptr ? nullptr : std::get_if<Literal>(&tensor->content);
    if (data != nullptr) bytes += data->bytes.size();
  }
  return bytes;
}

Workload read_workload(const Field& field, std::size_t number, const Request& request) {
  Workload workload{.name = fmt::format("workload {}", number),
                    .reference_io = request.reference ? request.reference->io : std::nullopt,
                    .candidate_io = request.candidate.io,
                    .constants = {}};
  const Object object(field);
  object.allow_only({"name", "args", "launch", "reference_launch", "constants"});
  if (auto name = object.string("name")) workload.name = std::move(*name);
  read_arguments(object, workload);
  read_constants(object, workload);
  read_launch_of(object, "launch", workload.candidate_io);
  read_launch_of(object, "reference_launch", workload.reference_io);
  if (workload.reference_io) (void)must_fit(field, *workload.reference_io);
  if (workload.candidate_io) (void)must_fit(field, *workload.candidate_io);
  return workload;
}

}  // namespace

void read_workloads(const Object& body, Request& request) {
  const auto field = body.find("workloads");
  if (!field) return;
  const auto elements = field->read_list();
  if (!elements) return;
  if (!request.reference) {
    field->refuse("A kernel without a reference is not checked at other sizes", "value_error");
    return;
  }
  if (elements->size() > kMostWorkloads) {
    field->refuse(fmt::format("may have {} workloads at most", kMostWorkloads), "too_long");
    return;
  }
  const std::uint64_t copied = data_bytes(request.reference->io) + data_bytes(request.candidate.io);
  if (!body.errors().hold(copied * elements->size())) {
    field->refuse(too_much_data(), "too_large");
    return;
  }
  for (std::size_t i = 0; i < elements->size(); ++i) {
    request.workloads.push_back(read_workload((*elements)[i], i + 1, request));
  }
}

}  // namespace assay::wire
