#include "cli/forward_match.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "cli/json_edit.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

using wire::Value;

constexpr std::string_view kSpace = " \t\r\n";

/// What stands between the bracket at `open` and the one that closes it, without comments, cut at
/// commas outside of inner brackets.
std::vector<std::string> split_arguments(std::string_view text, std::size_t open) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '(' || c == '[' || c == '{') {
      if (depth++ == 0) continue;
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth == 0) break;
    } else if (c == ',' && depth == 1) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  return parts;
}

/// Where the parameters of the function begin that this side runs.
std::size_t parameters_of_model(const ModelSource& wanted) {
  const std::string_view source = wanted.text;
  std::array<std::string_view, 3> kinds = {"class Model(", "class Model:", "class ModelNew"};
  if (!wanted.is_reference) std::ranges::rotate(kinds, kinds.end() - 1);
  for (const std::string_view kind : kinds) {
    const std::size_t model = source.find(kind);
    if (model == std::string_view::npos) continue;
    const std::size_t forward = source.find("def forward", model);
    if (forward != std::string_view::npos) return source.find('(', forward);
  }
  const std::size_t first = source.starts_with("def ") ? 0 : source.find("\ndef ");
  return first == std::string_view::npos ? first : source.find('(', first);
}

bool is_read(const Value& argument) {
  return argument["type"].text() == "tensor" && argument["role"].text() != "output";
}

bool lacks_seed(const Value& argument) {
  const Value& spec = argument["tensor_spec"];
  return is_read(argument) && spec["data"].is_null() && spec["init"]["seed"].is_null();
}

/// Equal seeds make equal tensors on both sides, whatever the order of the arguments.
Value with_seed(const Value& argument, const Value& seed) {
  if (!lacks_seed(argument)) return argument;
  const Value& spec = argument["tensor_spec"];
  Value::Members init = spec["init"].members();
  if (init.empty()) init.emplace_back("kind", "randn");
  set_member(init, "seed", seed);
  Value::Members whole = spec.members();
  set_member(whole, "init", std::move(init));
  Value::Members seeded = argument.members();
  set_member(seeded, "tensor_spec", std::move(whole));
  return seeded;
}

std::string quoted(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

std::string names_read(const Value& io) {
  std::vector<std::string> names;
  for (const Value& argument : io["args"].elements()) {
    if (is_read(argument)) names.emplace_back(argument["name"].text());
  }
  return quoted(names);
}

const Value* find_named(const Value::Elements& arguments, std::string_view name) {
  const auto found = std::ranges::find_if(
      arguments, [&](const Value& argument) { return argument["name"].text() == name; });
  return found == arguments.end() ? nullptr : &*found;
}

/// The arguments that `forward` takes, in its order.
Result<Value::Elements> in_order_of(const std::vector<std::string>& names, const Value& io,
                                    std::string_view advice) {
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: `forward` takes {}, the contract has the inputs {}. Give them the "
                            "same names{}",
                            what, quoted(names), names_read(io), advice));
  };
  Value::Elements taken;
  for (const std::string& name : names) {
    const Value* found = find_named(io["args"].elements(), name);
    if (found == nullptr) return wrong(fmt::format("the contract has no '{}'", name));
    taken.push_back(*found);
  }
  for (const Value& argument : io["args"].elements()) {
    const bool known = std::ranges::find(names, argument["name"].text()) != names.end();
    if (is_read(argument) && !known) {
      return wrong(fmt::format("`forward` does not take '{}'", argument["name"].text()));
    }
  }
  return taken;
}

Value with_arguments(const Value& io, Value::Elements arguments) {
  Value::Members members = io.members();
  set_member(members, "args", std::move(arguments));
  return members;
}

/// Gives tensors of one name the same seed, where every random one has a namesake.
MatchedContracts seeded(const Value& of_kernel, Value::Elements taken) {
  Value::Elements ours = of_kernel["args"].elements();
  const bool all_known = std::ranges::all_of(taken, [&](const Value& argument) {
    return !lacks_seed(argument) || find_named(ours, argument["name"].text()) != nullptr;
  });
  if (all_known) {
    for (std::size_t i = 0; i < ours.size(); ++i) ours[i] = with_seed(ours[i], i + 1);
    for (Value& argument : taken) {
      if (!lacks_seed(argument)) continue;
      const Value& other = *find_named(ours, argument["name"].text());
      const Value& seed = other["tensor_spec"]["init"]["seed"];
      if (!seed.is_null()) argument = with_seed(argument, seed);
    }
  }
  return {.kernel = with_arguments(of_kernel, std::move(ours)),
          .model = Value::Members{{"args", std::move(taken)}}};
}

}  // namespace

std::optional<std::vector<std::string>> forward_parameters(const ModelSource& model) {
  const std::size_t open = parameters_of_model(model);
  if (open == std::string_view::npos) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& part : split_arguments(model.text, open)) {
    const std::string_view name =
        trimmed(std::string_view(part).substr(0, part.find_first_of(":=")));
    if (name.empty() || name == "self" || name == "/") continue;
    if (name.starts_with('*')) return std::nullopt;
    names.emplace_back(name);
  }
  return names;
}

Result<MatchedContracts> match_to_forward(const Value& io, const ModelSource& model) {
  const std::string_view side = model.is_reference ? "reference" : "candidate";
  const std::string_view flag = model.is_reference ? "--ref-io" : "--io";
  const auto names = forward_parameters(model);
  if (!names) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the {} has no `forward` whose arguments have names: give its contract "
                            "with {}",
                            side, flag));
  }
  ASSAY_TRY(
      Value::Elements taken,
      in_order_of(*names, io, fmt::format(", or give the {}'s contract with {}", side, flag)));
  return seeded(io, std::move(taken));
}

Result<MatchedContracts> match_own_contract(const Value& own, const Value& of_kernel,
                                            const ModelSource& model) {
  const auto names = forward_parameters(model);
  if (!names) return MatchedContracts{.kernel = of_kernel, .model = own};
  ASSAY_TRY(Value::Elements taken, in_order_of(*names, own, ""));
  return seeded(of_kernel, std::move(taken));
}

}  // namespace assay::cli
