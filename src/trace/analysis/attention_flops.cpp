#include "trace/analysis/attention_flops.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/model_flops.hpp"

namespace assay::trace {
namespace {

// Five such numbers and the factor 5 multiply to less than 2^64.
constexpr std::uint64_t kLargest = 10'000'000;
constexpr double kCountable = 1.8e18;

std::uint64_t* field_named(AttentionShape& shape, std::string_view name) {
  if (name == "batch") return &shape.batch;
  if (name == "heads") return &shape.heads;
  if (name == "seq" || name == "queries") return &shape.queries;
  if (name == "keys") return &shape.keys;
  if (name == "head_dim") return &shape.head_dim;
  return nullptr;
}

}  // namespace

AttentionFlops attention_flops(const AttentionShape& shape) {
  const std::uint64_t scores = shape.batch * shape.heads * shape.queries * shape.keys;
  const std::uint64_t product =
      matmul_flop(shape.batch, shape.heads, shape.queries, shape.keys, shape.head_dim);
  return {.scores = product, .softmax = 5 * scores, .values = product};
}

Result<AttentionShape> parse_attention_shape(std::string_view text) {
  AttentionShape shape;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(part.size() == rest.size() ? rest.size() : part.size() + 1);
    const std::size_t equals = part.find('=');
    std::uint64_t* field = field_named(shape, part.substr(0, equals));
    if (field == nullptr || equals == std::string_view::npos) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("'{}' is no part of a shape: batch=, heads=, seq=, keys=, head_dim=", part));
    }
    const std::string_view digits = part.substr(equals + 1);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, *field);
    if (error != std::errc{} || stop != end || *field == 0 || *field > kLargest) {
      return fail(ErrorCode::invalid_argument, fmt::format("'{}' is no size", part));
    }
  }
  if (shape.keys == 0) shape.keys = shape.queries;
  if (shape.batch == 0 || shape.heads == 0 || shape.queries == 0 || shape.head_dim == 0) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the shape '{}' lacks one of batch, heads, seq, head_dim", text));
  }
  const double scores = static_cast<double>(shape.batch) * static_cast<double>(shape.heads) *
                        static_cast<double>(shape.queries) * static_cast<double>(shape.keys);
  if (4 * scores * static_cast<double>(shape.head_dim) > kCountable || 5 * scores > kCountable) {
    return fail(ErrorCode::invalid_argument, fmt::format("the shape '{}' is absurd", text));
  }
  return shape;
}

}  // namespace assay::trace
