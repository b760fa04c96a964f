#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::trace {

/// The shape of a decoder-only transformer, as far as its arithmetic depends on it.
struct ModelShape {
  enum class Ffn : std::uint8_t {
    gelu,    // two matrices: up, down
    swiglu,  // three: gate, up, down
  };

  double layers = 0;
  double hidden = 0;
  double heads = 0;
  double kv_heads = 0;  // fewer than heads: grouped-query attention
  double head_dim = 0;  // usually hidden / heads
  double ffn = 0;       // inner width of the feed-forward block, of one expert in an MoE
  double vocab = 0;     // 0: the output projection is not counted
  Ffn ffn_kind = Ffn::swiglu;
  // Mixture of experts: of `experts`, each token visits `active_experts` besides the shared ones.
  double experts = 0;  // 0: dense
  double active_experts = 0;
  double shared_experts = 0;
  double dense_layers = 0;  // layers without experts, whose width is `dense_ffn`
  double dense_ffn = 0;
};

/// Reads `layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocab=128256`. `ffn_kind=gelu` may
/// follow, and for experts `experts=8,active_experts=2`. `kv_heads` and `head_dim` may be left out.
/// Fails with `invalid_argument`, naming the key.
[[nodiscard]] Result<ModelShape> parse_model_shape(std::string_view text);

/// What is computed: a pass over whole sequences, their generation token by token, or training.
enum class StageKind : std::uint8_t {
  prefill,   // forward over the prompt, output projection for its last token alone
  decode,    // new tokens one at a time, each attending to all before it
  forward,   // forward over the sequence, output projection for every token
  training,  // forward and backward: three times the forward's matrix products
  counted,   // the work is known otherwise: from counters, or a framework's own count
};

[[nodiscard]] std::string_view to_string(StageKind kind);
[[nodiscard]] Result<StageKind> parse_stage_kind(std::string_view name);

/// Whether masked-out attention scores count. A kernel that skips them does half the work of one
/// that computes the whole square. Papers differ, so reports say which was used.
enum class AttentionCount : std::uint8_t { causal, full };

struct StageShape {
  StageKind kind = StageKind::prefill;
  double batch = 1;       // sequences
  double tokens = 0;      // of the prompt or the sequence; context before the first new token
  double new_tokens = 0;  // generated per sequence, in decode
  double repeats = 1;     // how often the stage ran in the time given
  AttentionCount attention = AttentionCount::causal;
  double flop = 0;  // of one run of it, where it is `counted`
};

/// One term of a sum of FLOP: what it is, its formula, and the formula with the numbers in it.
struct FlopTerm {
  std::string name;
  std::string formula;
  std::string numbers;
  double flop = 0;
};

struct StageFlops {
  std::vector<FlopTerm> terms;
  double total = 0;
  double tokens = 0;  // processed or generated, over the batch and the repeats
};

/// The FLOP of a stage, a multiply-add counted as two. Additions, norms, softmax and rotary
/// embeddings are left out: they are not matrix products, and small.
[[nodiscard]] StageFlops count_flops(const ModelShape& model, const StageShape& stage);

/// 2·batch·heads·rows·columns·depth. For QKᵀ of attention it is matmul_flop(b, h, queries, keys,
/// head dimension). The product with V is the same.
[[nodiscard]] std::uint64_t matmul_flop(std::uint64_t batch, std::uint64_t heads,
                                        std::uint64_t rows, std::uint64_t columns,
                                        std::uint64_t depth);

}  // namespace assay::trace
