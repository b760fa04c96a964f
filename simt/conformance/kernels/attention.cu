// Scaled dot-product attention: whole scores first, then tile by tile without ever holding them.
#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kDim = 32;

// One block per query: all its scores in shared memory.
__global__ void attention_naive(const float* q, const float* k, const float* v, float* out,
                                int length, float scale, bool causal) {
  extern __shared__ float scores[];
  const int query = blockIdx.x, keys = causal ? query + 1 : length;
  for (int key = threadIdx.x; key < keys; key += blockDim.x) {
    float dot = 0;
    for (int d = 0; d < kDim; ++d) dot += q[query * kDim + d] * k[key * kDim + d];
    scores[key] = dot * scale;
  }
  __syncthreads();
  float most = -INFINITY, sum = 0;
  for (int key = 0; key < keys; ++key) most = fmaxf(most, scores[key]);
  for (int key = 0; key < keys; ++key) sum += expf(scores[key] - most);
  for (int d = threadIdx.x; d < kDim; d += blockDim.x) {
    float value = 0;
    for (int key = 0; key < keys; ++key) value += expf(scores[key] - most) * v[key * kDim + d];
    out[query * kDim + d] = value / sum;
  }
}

// Keys and values come in tiles through shared memory. Each thread owns one query and keeps the
// running maximum, sum and output; a larger maximum rescales what it has.
template <int Tile>
__global__ void attention_tiled(const float* q, const float* k, const float* v, float* out,
                                int length, float scale, bool causal) {
  __shared__ float keys[Tile][kDim], values[Tile][kDim];
  const int query = blockIdx.x * Tile + threadIdx.x;
  float mine[kDim], result[kDim];
  for (int d = 0; d < kDim; ++d) {
    mine[d] = query < length ? q[query * kDim + d] : 0.0f;
    result[d] = 0;
  }
  float most = -INFINITY, sum = 0;
  for (int start = 0; start < length; start += Tile) {
    __syncthreads();
    for (int i = threadIdx.x; i < Tile * kDim; i += Tile) {
      const int row = start + i / kDim;
      keys[i / kDim][i % kDim] = row < length ? k[row * kDim + i % kDim] : 0.0f;
      values[i / kDim][i % kDim] = row < length ? v[row * kDim + i % kDim] : 0.0f;
    }
    __syncthreads();
    const int limit = min(Tile, (causal ? query + 1 : length) - start);
    for (int j = 0; j < min(limit, length - start); ++j) {
      float score = 0;
      for (int d = 0; d < kDim; ++d) score += mine[d] * keys[j][d];
      score *= scale;
      const float next = fmaxf(most, score);
      const float keep = expf(most - next), weight = expf(score - next);
      sum = sum * keep + weight;
      for (int d = 0; d < kDim; ++d) result[d] = result[d] * keep + weight * values[j][d];
      most = next;
    }
  }
  if (query < length) {
    for (int d = 0; d < kDim; ++d) out[query * kDim + d] = result[d] / sum;
  }
}

struct Problem {
  std::vector<float> q, k, v;
  int length;
  double scale = 1 / std::sqrt(static_cast<double>(kDim));

  explicit Problem(int n)
      : q(conformance::random_floats(n * kDim, -2, 2, 70)),
        k(conformance::random_floats(n * kDim, -2, 2, 71)),
        v(conformance::random_floats(n * kDim, -1, 1, 72)),
        length(n) {}

  std::vector<double> answer(bool causal) const {
    std::vector<double> out(q.size(), 0.0), weight(length);
    for (int i = 0; i < length; ++i) {
      const int keys = causal ? i + 1 : length;
      double sum = 0;
      for (int j = 0; j < keys; ++j) {
        double dot = 0;
        for (int d = 0; d < kDim; ++d)
          dot += static_cast<double>(q[i * kDim + d]) * k[j * kDim + d];
        weight[j] = std::exp(dot * scale);
        sum += weight[j];
      }
      for (int j = 0; j < keys; ++j) {
        for (int d = 0; d < kDim; ++d) out[i * kDim + d] += weight[j] / sum * v[j * kDim + d];
      }
    }
    return out;
  }
};

static void check_tiled(int length, bool causal) {
  const Problem problem(length);
  const std::vector<double> want = problem.answer(causal);
  Buffer<float> q(problem.q), k(problem.k), v(problem.v), out(problem.q.size());
  attention_tiled<32><<<(length + 31) / 32, 32>>>(q.ptr(), k.ptr(), v.ptr(), out.ptr(), length,
                                                  static_cast<float>(problem.scale), causal);
  EXPECT_NEAR(out, 1e-5, 1e-4, [&](std::size_t i) { return want[i]; });
}

CASE(attention_with_all_scores) {
  const Problem problem(60);
  Buffer<float> q(problem.q), k(problem.k), v(problem.v), out(problem.q.size());
  for (const bool causal : {false, true}) {
    const std::vector<double> want = problem.answer(causal);
    out.poison();
    attention_naive<<<60, 64, 60 * sizeof(float)>>>(q.ptr(), k.ptr(), v.ptr(), out.ptr(), 60,
                                                    static_cast<float>(problem.scale), causal);
    EXPECT_NEAR(out, 1e-5, 1e-4, [&](std::size_t i) { return want[i]; });
  }
}

CASE(flash_style_attention) {
  check_tiled(64, false);
  check_tiled(100, false);  // a last tile that is not full
}

CASE(flash_style_causal_attention) {
  check_tiled(64, true);
  check_tiled(75, true);
}
