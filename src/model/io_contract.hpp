#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/dtype.hpp"
#include "model/names.hpp"

namespace assay {

using Shape = std::vector<std::int64_t>;

/// Number of elements; a shape without dimensions holds one.
[[nodiscard]] constexpr std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  for (const auto extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

/// How the elements of a tensor come about. Every kind means the same for every dtype; the rules
/// for integers are in docs/io-contract.md.
struct Randn {
  std::optional<std::int64_t> seed;
  double mean = 0.0;
  double std = 1.0;
};
struct Uniform {
  std::optional<std::int64_t> seed;
  std::optional<double> low;   // default 0
  std::optional<double> high;  // excluded for floats, included for integers

  [[nodiscard]] constexpr double low_or_default() const { return low.value_or(0.0); }
  [[nodiscard]] constexpr double high_or_default(DType dtype) const {
    return high.value_or(is_floating(dtype) ? 1.0 : 100.0);
  }
};
struct Full {
  double value = 0.0;  // also `zeros` and `ones`
};
struct Arange {
  double start = 0.0;
  double step = 1.0;
};
/// Raw little-endian elements in C order, already decoded; its size fits the shape and dtype.
struct Literal {
  std::string bytes;
};
/// Nothing was asked for: the worker poisons the buffer.
struct Unspecified {};

using TensorContent = std::variant<Unspecified, Randn, Uniform, Full, Arange, Literal>;

enum class Role : std::uint8_t { input, output, inout };

inline constexpr NameTable<Role, 3> kRoleNames = {{
    {Role::input, "input"},
    {Role::output, "output"},
    {Role::inout, "inout"},
}};

constexpr std::string_view to_string(Role role) {
  return name_in(kRoleNames, role);
}

struct TensorArg {
  Shape shape;
  DType dtype = DType::float32;
  TensorContent content;
  Role role = Role::input;

  [[nodiscard]] std::size_t byte_size() const { return element_count(shape) * size_of(dtype); }
};

using ScalarArg = std::variant<std::int64_t, double, bool, std::string>;

struct Argument {
  std::string name;
  std::variant<TensorArg, ScalarArg> value;
  bool is_meta = false;  // a Triton compile-time constant
};

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

struct LaunchConfig {
  std::optional<Dim3> grid;  // default (1, 1, 1)
  /// triton: up to three expressions over the arguments' names, instead of numbers.
  std::vector<std::string> grid_expressions;
  std::optional<Dim3> block;  // default (256, 1, 1)
  std::uint32_t shared_mem_bytes = 0;
  bool cooperative = false;     // all blocks resident at once: grid-wide barriers work
  std::optional<Dim3> cluster;  // blocks per cluster
  std::optional<int> num_warps;
  std::optional<int> num_stages;
};

/// What a kernel is called with, in the order of its own parameters.
struct IoContract {
  std::vector<Argument> args;
  LaunchConfig launch;
};

/// What all its tensors hold.
[[nodiscard]] std::uint64_t tensor_bytes(const IoContract& contract);

/// Positions in `args` of the tensors that hold the answer. These are the ones marked output or
/// inout. If none is marked, all tensors hold it, as in the compatible API.
[[nodiscard]] std::vector<std::size_t> output_positions(const IoContract& contract);

}  // namespace assay
