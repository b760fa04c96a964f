#include "cli/forward_match.hpp"

#include <algorithm>
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

/// Where the parameters of the function begin that a reference runs.
std::size_t parameters_of_model(std::string_view source) {
  for (const std::string_view kind : {"class Model(", "class Model:", "class ModelNew"}) {
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

/// Equal seeds make equal tensors on both sides, whatever the order of the arguments.
Value with_seed(const Value& argument, std::size_t position) {
  const Value& spec = argument["tensor_spec"];
  if (!spec["data"].is_null() || !spec["init"]["seed"].is_null()) return argument;
  Value::Members init = spec["init"].members();
  if (init.empty()) init.emplace_back("kind", "randn");
  set_member(init, "seed", position + 1);
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

}  // namespace

std::optional<std::vector<std::string>> forward_parameters(std::string_view source) {
  const std::size_t open = parameters_of_model(source);
  if (open == std::string_view::npos) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& part : split_arguments(source, open)) {
    const std::string_view name =
        trimmed(std::string_view(part).substr(0, part.find_first_of(":=")));
    if (name.empty() || name == "self" || name == "/") continue;
    if (name.starts_with('*')) return std::nullopt;
    names.emplace_back(name);
  }
  return names;
}

Result<MatchedContracts> match_to_forward(const Value& io, std::string_view reference_source) {
  const auto names = forward_parameters(reference_source);
  if (!names) {
    return fail(ErrorCode::invalid_argument,
                "the reference has no `forward` whose arguments have names: give its contract with "
                "--ref-io");
  }
  Value::Elements seeded;
  for (const Value& argument : io["args"].elements()) {
    seeded.push_back(is_read(argument) ? with_seed(argument, seeded.size()) : argument);
  }
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: `forward` takes {}, the contract has the inputs {}. Give them the "
                            "same names, or give the reference's contract with --ref-io",
                            what, quoted(*names), names_read(io)));
  };
  Value::Elements taken;
  for (const std::string& name : *names) {
    const auto found = std::ranges::find_if(
        seeded, [&](const Value& argument) { return argument["name"].text() == name; });
    if (found == seeded.end()) return wrong(fmt::format("the contract has no '{}'", name));
    taken.push_back(*found);
  }
  for (const Value& argument : seeded) {
    const bool known = std::ranges::find(*names, argument["name"].text()) != names->end();
    if (is_read(argument) && !known) {
      return wrong(fmt::format("`forward` does not take '{}'", argument["name"].text()));
    }
  }
  Value::Members candidate = io.members();
  set_member(candidate, "args", std::move(seeded));
  return MatchedContracts{.candidate = std::move(candidate),
                          .reference = Value::Members{{"args", std::move(taken)}}};
}

}  // namespace assay::cli
