#include "trace/model_flops.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::trace {
namespace {

using Member = double ModelShape::*;
constexpr std::array kMembers = std::to_array<std::pair<std::string_view, Member>>({
    {"layers", &ModelShape::layers},
    {"hidden", &ModelShape::hidden},
    {"heads", &ModelShape::heads},
    {"kv_heads", &ModelShape::kv_heads},
    {"head_dim", &ModelShape::head_dim},
    {"ffn", &ModelShape::ffn},
    {"vocab", &ModelShape::vocab},
    {"experts", &ModelShape::experts},
    {"active_experts", &ModelShape::active_experts},
    {"shared_experts", &ModelShape::shared_experts},
    {"dense_layers", &ModelShape::dense_layers},
    {"dense_ffn", &ModelShape::dense_ffn},
});

std::unexpected<Error> bad_shape(std::string message) {
  return fail(ErrorCode::invalid_argument, "model shape: " + std::move(message));
}

Result<void> set_member(ModelShape& shape, std::string_view key, std::string_view value) {
  if (key == "ffn_kind") {
    if (value != "gelu" && value != "swiglu") return bad_shape("ffn_kind is gelu or swiglu");
    shape.ffn_kind = value == "gelu" ? ModelShape::Ffn::gelu : ModelShape::Ffn::swiglu;
    return {};
  }
  const auto member =
      std::ranges::find(kMembers, key, [](const auto& entry) { return entry.first; });
  if (member == kMembers.end()) return bad_shape(fmt::format("there is no '{}'", key));
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) {
    return bad_shape(fmt::format("{}={} is not a whole number", key, value));
  }
  shape.*member->second = number;
  return {};
}

Result<ModelShape> complete(ModelShape shape) {
  for (const std::string_view key : {"layers", "hidden", "heads", "ffn"}) {
    const auto member =
        std::ranges::find(kMembers, key, [](const auto& entry) { return entry.first; });
    if (shape.*member->second == 0) return bad_shape(fmt::format("{} is missing", key));
  }
  if (shape.kv_heads == 0) shape.kv_heads = shape.heads;
  if (shape.head_dim == 0) shape.head_dim = std::floor(shape.hidden / shape.heads);
  if (std::fmod(shape.heads, shape.kv_heads) != 0) {
    return bad_shape("heads is not a multiple of kv_heads");
  }
  if (shape.experts > 0 && shape.active_experts == 0) {
    return bad_shape("experts without active_experts");
  }
  if (shape.active_experts > shape.experts) return bad_shape("more active_experts than experts");
  if (shape.dense_layers > shape.layers) return bad_shape("more dense_layers than layers");
  if (shape.dense_layers > 0 && shape.dense_ffn == 0) shape.dense_ffn = shape.ffn;
  return shape;
}

/// Numbers as people write them in a formula: 4096, not 4096.000.
std::string plain(double value) {
  return fmt::format("{:.0f}", value);
}

/// The factors a stage multiplies the per-token work by.
struct Extent {
  double tokens = 0;          // tokens that pass through the layers, over batch and repeats
  double logits = 0;          // tokens whose output projection is computed
  double attended = 0;        // sum over those tokens of the positions each attends to
  std::string attended_text;  // how that sum is formed
  double passes = 1;          // 3 for training: the backward has twice the forward's products
};

Extent extent_of(const StageShape& stage) {
  const double sequences = stage.batch * stage.repeats;
  const double s = stage.tokens;
  const double n = stage.new_tokens;
  if (stage.kind == StageKind::decode) {
    return {.tokens = sequences * n,
            .logits = sequences * n,
            .attended = sequences * (n * s + n * (n + 1) / 2),
            .attended_text = "N*P + N(N+1)/2"};
  }
  const bool causal = stage.attention == AttentionCount::causal;
  const bool prefill = stage.kind == StageKind::prefill;
  return {.tokens = sequences * s,
          .logits = sequences * (prefill ? 1 : s),
          .attended = sequences * (causal ? s * (s + 1) / 2 : s * s),
          .attended_text = causal ? "S(S+1)/2" : "S*S",
          .passes = stage.kind == StageKind::training ? 3.0 : 1.0};
}

class Terms {
 public:
  explicit Terms(double passes) : passes_(passes) {}

  void add(std::string name, std::string formula, std::string numbers, double flop) {
    if (flop == 0) return;
    if (passes_ != 1) {
      formula = fmt::format("{:.0f} * {}", passes_, formula);
      numbers = fmt::format("{:.0f} * {}", passes_, numbers);
    }
    flops_.total += passes_ * flop;
    flops_.terms.push_back(
        {std::move(name), std::move(formula), std::move(numbers), passes_ * flop});
  }

  StageFlops finish(double tokens) && {
    flops_.tokens = tokens;
    return std::move(flops_);
  }

 private:
  double passes_;
  StageFlops flops_;
};

void add_attention(const ModelShape& m, const Extent& extent, Terms& terms) {
  const double heads = 2 * m.heads + 2 * m.kv_heads;
  terms.add("attention projections", "2*L*d*hd*(2H + 2KV) * tokens",
            fmt::format("2*{}*{}*{}*{} * {}", plain(m.layers), plain(m.hidden), plain(m.head_dim),
                        plain(heads), plain(extent.tokens)),
            2 * m.layers * m.hidden * m.head_dim * heads * extent.tokens);
  terms.add("attention scores and values",
            fmt::format("4*L*H*hd * sequences*({})", extent.attended_text),
            fmt::format("4*{}*{}*{} * {}", plain(m.layers), plain(m.heads), plain(m.head_dim),
                        plain(extent.attended)),
            4 * m.layers * m.heads * m.head_dim * extent.attended);
}

void add_feed_forward(const ModelShape& m, const Extent& extent, Terms& terms) {
  const double matrices = m.ffn_kind == ModelShape::Ffn::swiglu ? 3 : 2;
  const double dense = m.experts > 0 ? m.dense_layers : m.layers;
  const double width = m.experts > 0 ? m.dense_ffn : m.ffn;
  terms.add("feed-forward", fmt::format("{}*L*d*f * tokens", plain(2 * matrices)),
            fmt::format("{}*{}*{}*{} * {}", plain(2 * matrices), plain(dense), plain(m.hidden),
                        plain(width), plain(extent.tokens)),
            2 * matrices * dense * m.hidden * width * extent.tokens);
  if (m.experts == 0) return;
  const double sparse = m.layers - m.dense_layers;
  const double visited = m.active_experts + m.shared_experts;
  terms.add("active experts", fmt::format("{}*L*d*f*(k + shared) * tokens", plain(2 * matrices)),
            fmt::format("{}*{}*{}*{}*{} * {}", plain(2 * matrices), plain(sparse), plain(m.hidden),
                        plain(m.ffn), plain(visited), plain(extent.tokens)),
            2 * matrices * sparse * m.hidden * m.ffn * visited * extent.tokens);
  terms.add("router", "2*L*d*E * tokens",
            fmt::format("2*{}*{}*{} * {}", plain(sparse), plain(m.hidden), plain(m.experts),
                        plain(extent.tokens)),
            2 * sparse * m.hidden * m.experts * extent.tokens);
}

}  // namespace

Result<ModelShape> parse_model_shape(std::string_view text) {
  ModelShape shape;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return bad_shape(fmt::format("'{}' is not key=value", item));
    }
    const auto set = set_member(shape, item.substr(0, equals), item.substr(equals + 1));
    if (!set) return std::unexpected(set.error());
  }
  return complete(shape);
}

std::string_view to_string(StageKind kind) {
  switch (kind) {
    case StageKind::prefill:
      return "prefill";
    case StageKind::decode:
      return "decode";
    case StageKind::forward:
      return "forward";
    case StageKind::training:
      return "training";
    case StageKind::counted:
      return "counted";
  }
  return "unknown";
}

Result<StageKind> parse_stage_kind(std::string_view name) {
  for (const StageKind kind : {StageKind::prefill, StageKind::decode, StageKind::forward,
                               StageKind::training, StageKind::counted}) {
    if (to_string(kind) == name) return kind;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("no stage '{}': prefill, decode, forward, training or counted", name));
}

StageFlops count_flops(const ModelShape& model, const StageShape& stage) {
  const Extent extent = extent_of(stage);
  Terms terms(extent.passes);
  if (stage.kind == StageKind::counted) {
    terms.add("counted", "FLOP * runs",
              fmt::format("{} * {}", plain(stage.flop), plain(stage.repeats)),
              stage.flop * stage.repeats);
    return std::move(terms).finish(extent.tokens);
  }
  add_attention(model, extent, terms);
  add_feed_forward(model, extent, terms);
  terms.add(
      "output projection", "2*d*V * tokens with logits",
      fmt::format("2*{}*{} * {}", plain(model.hidden), plain(model.vocab), plain(extent.logits)),
      2 * model.hidden * model.vocab * extent.logits);
  return std::move(terms).finish(extent.tokens);
}

std::uint64_t matmul_flop(std::uint64_t batch, std::uint64_t heads, std::uint64_t rows,
                          std::uint64_t columns, std::uint64_t depth) {
  return 2 * batch * heads * rows * columns * depth;
}

}  // namespace assay::trace
