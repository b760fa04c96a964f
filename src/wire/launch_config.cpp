#include "wire/launch_config.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "model/io_contract.hpp"
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

std::optional<Dim3> read_dim(const Field& field, Dim3 limit, bool strict) {
  const Object object(field);
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
  if (value.is_object()) return read_dim(field, limit, strict);
  if (!value.is_array() || value.empty() || value.size() > 3) {
    return field.refuse(
        "Input should be a list of one to three numbers, or an object with x, y and z",
        strict ? "launch_dim" : "model_type");
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
    const Object axes(field);
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
    field.refuse(
        "Input should be a list of one to three numbers or expressions, or an object with x, y and "
        "z",
        "grid");
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
  const Object object(field);
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

}  // namespace assay::wire
