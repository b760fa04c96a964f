// Physics, random numbers, fractals, graphs and a small Fourier transform.
#include <algorithm>
#include <complex>

#include "../conformance.hpp"

using conformance::Buffer;

// Bodies pass through shared memory a tile at a time; every thread feels all of them.
__global__ void n_body(const float4* bodies, float3* forces, int n, float softening) {
  __shared__ float4 tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  const float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 force = make_float3(0, 0, 0);
  for (int start = 0; start < n; start += 64) {
    const int j = start + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < 64; ++k) {
      const float4 other = tile[k];  // a body without mass pulls nothing
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float pull = other.w * inverse * inverse * inverse;
      force.x += dx * pull;
      force.y += dy * pull;
      force.z += dz * pull;
    }
    __syncthreads();
  }
  if (i < n) forces[i] = force;
}

CASE(n_body_by_tiles) {
  constexpr int kBodies = 150;
  std::vector<float4> bodies(kBodies);
  conformance::Random random(90);
  for (float4& body : bodies) {
    body = make_float4(
        static_cast<float>(random.uniform(-1, 1)), static_cast<float>(random.uniform(-1, 1)),
        static_cast<float>(random.uniform(-1, 1)), static_cast<float>(random.uniform(0.1, 1)));
  }
  Buffer<float4> in(bodies);
  Buffer<float3> out(kBodies);
  n_body<<<3, 64>>>(in.ptr(), out.ptr(), kBodies, 0.01f);
  const std::vector<float3> got = out.host();
  std::vector<double> forces, want;
  for (int i = 0; i < kBodies; ++i) {
    double sum[3] = {0, 0, 0};
    for (int j = 0; j < kBodies; ++j) {
      const double d[3] = {static_cast<double>(bodies[j].x) - bodies[i].x,
                           static_cast<double>(bodies[j].y) - bodies[i].y,
                           static_cast<double>(bodies[j].z) - bodies[i].z};
      const double distance = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01f;
      for (int c = 0; c < 3; ++c) sum[c] += d[c] * bodies[j].w / (distance * std::sqrt(distance));
    }
    want.insert(want.end(), sum, sum + 3);
    forces.insert(forces.end(), {got[i].x, got[i].y, got[i].z});
  }
  EXPECT_NEAR(forces, 2e-2, 1e-4, [&](std::size_t i) { return want[i]; });
}

__global__ void mandelbrot(int* out, int width, int height, int limit) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  // Every operation rounds on its own, so that the count does not depend on fused operations.
  const double cx = __dadd_rn(-2.0, __dmul_rn(px, 0.0625)),
               cy = __dadd_rn(-1.0, __dmul_rn(py, 0.0625));
  double x = 0, y = 0;
  int steps = 0;
  while (steps < limit) {
    const double xx = __dmul_rn(x, x), yy = __dmul_rn(y, y);
    if (__dadd_rn(xx, yy) > 4.0) break;
    const double xy = __dmul_rn(x, y);
    x = __dadd_rn(__dadd_rn(xx, -yy), cx);
    y = __dadd_rn(__dadd_rn(xy, xy), cy);
    ++steps;
  }
  out[py * width + px] = steps;
}

static double rounded(double value) {
  const volatile double kept = value;  // not fused into what comes after
  return kept;
}

CASE(mandelbrot_counts) {
  constexpr int kWidth = 48, kHeight = 33, kLimit = 200;
  Buffer<int> out(kWidth * kHeight);
  mandelbrot<<<dim3(6, 5), dim3(8, 8)>>>(out.ptr(), kWidth, kHeight, kLimit);
  EXPECT_EACH(out, [](std::size_t at) {
    const double cx = -2.0 + static_cast<double>(at % kWidth) * 0.0625;
    const double cy = -1.0 + static_cast<double>(at / kWidth) * 0.0625;
    double x = 0, y = 0;
    for (int steps = 0; steps < kLimit; ++steps) {
      const double xx = rounded(x * x), yy = rounded(y * y), xy = rounded(x * y);
      if (xx + yy > 4.0) return steps;
      x = rounded(xx - yy) + cx;
      y = rounded(xy + xy) + cy;
    }
    return kLimit;
  });
}

// The generator of Salmon and others: ten rounds of multiplication and key mixing.
__host__ __device__ inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long first = 0xD2511F53ull * counter.x, second = 0xCD9E8D57ull * counter.z;
    counter = make_uint4(
        static_cast<unsigned>(second >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(second),
        static_cast<unsigned>(first >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(first));
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

__global__ void philox_kernel(uint4* out, const uint4* counters, const uint2* keys) {
  out[threadIdx.x] = philox(counters[threadIdx.x], keys[threadIdx.x]);
}

// The test vectors published with the generator.
CASE(philox_known_answers) {
  const std::vector<uint4> counters{make_uint4(0, 0, 0, 0), make_uint4(~0u, ~0u, ~0u, ~0u),
                                    make_uint4(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u)};
  const std::vector<uint2> keys{make_uint2(0, 0), make_uint2(~0u, ~0u),
                                make_uint2(0xa4093822u, 0x299f31d0u)};
  constexpr unsigned kWant[12] = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u,
                                  0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu,
                                  0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u};
  Buffer<uint4> in(counters), out(3);
  Buffer<uint2> key(keys);
  philox_kernel<<<1, 3>>>(out.ptr(), in.ptr(), key.ptr());
  const std::vector<uint4> got = out.host();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(got[i].x, kWant[4 * i]);
    EXPECT_EQ(got[i].y, kWant[4 * i + 1]);
    EXPECT_EQ(got[i].z, kWant[4 * i + 2]);
    EXPECT_EQ(got[i].w, kWant[4 * i + 3]);
  }
}

// Points in a quarter circle. Integers decide, so the count is exactly reproducible.
__global__ void monte_carlo(unsigned long long* inside, int trials) {
  unsigned long long state = 12345u + 977u * (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned hits = 0;
  for (int i = 0; i < trials; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const unsigned long long x = state >> 48;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const unsigned long long y = state >> 48;
    if (x * x + y * y < 1ull << 32) ++hits;
  }
  atomicAdd(inside, static_cast<unsigned long long>(hits));
}

CASE(monte_carlo_pi) {
  constexpr int kThreads = 4 * 64, kTrials = 200;
  Buffer<unsigned long long> inside(1, 0ull);
  monte_carlo<<<4, 64>>>(inside.ptr(), kTrials);
  unsigned long long want = 0;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    unsigned long long state = 12345u + 977u * thread;
    for (int i = 0; i < kTrials; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const unsigned long long x = state >> 48;
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const unsigned long long y = state >> 48;
      if (x * x + y * y < 1ull << 32) ++want;
    }
  }
  EXPECT_EACH(inside, [=](std::size_t) { return want; });
  const double pi = 4.0 * static_cast<double>(want) / (kThreads * kTrials);
  EXPECT_TRUE(std::abs(pi - 3.14159) < 0.05);
}

// Levels of a graph: all vertices of one level look at their neighbours in one launch.
__global__ void bfs_level(const int* starts, const int* edges, int* level, int current,
                          int* changed, int n) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (vertex >= n || level[vertex] != current) return;
  for (int i = starts[vertex]; i < starts[vertex + 1]; ++i) {
    if (atomicCAS(&level[edges[i]], -1, current + 1) == -1) *changed = 1;
  }
}

CASE(breadth_first_search) {
  constexpr int kVertices = 400;
  std::vector<int> starts{0}, edges;
  conformance::Random random(91);
  for (int v = 0; v < kVertices; ++v) {
    for (int i = random.below(4); i > 0; --i) edges.push_back(random.below(kVertices));
    starts.push_back(static_cast<int>(edges.size()));
  }
  std::vector<int> want(kVertices, -1), queue{0};
  want[0] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (int i = starts[queue[head]]; i < starts[queue[head] + 1]; ++i) {
      if (want[edges[i]] >= 0) continue;
      want[edges[i]] = want[queue[head]] + 1;
      queue.push_back(edges[i]);
    }
  }
  std::vector<int> initial(kVertices, -1);
  initial[0] = 0;
  Buffer<int> device_starts(starts), device_edges(edges), level(initial), changed(1, 0);
  int more = 1;
  for (int current = 0; more != 0 && current < kVertices; ++current) {
    EXPECT_OK(cudaMemset(changed.ptr(), 0, sizeof(int)));
    bfs_level<<<(kVertices + 63) / 64, 64>>>(device_starts.ptr(), device_edges.ptr(), level.ptr(),
                                             current, changed.ptr(), kVertices);
    more = changed.host()[0];
  }
  EXPECT_EACH(level, [&](std::size_t v) { return want[v]; });
}

// Cooley and Tukey's transform of 256 points in shared memory, after reversing the index bits.
__global__ void fft_256(const float2* in, float2* out) {
  __shared__ float2 data[256];
  const int t = threadIdx.x;  // 128 threads, two points each
  for (int i = t; i < 256; i += 128) data[__brev(static_cast<unsigned>(i)) >> 24] = in[i];
  __syncthreads();
  for (int half = 1; half < 256; half *= 2) {
    const int place = t % half, first = t / half * 2 * half + place, second = first + half;
    float sine, cosine;
    sincospif(-static_cast<float>(place) / half, &sine, &cosine);
    const float2 a = data[first], b = data[second];
    const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    data[first] = make_float2(a.x + turned.x, a.y + turned.y);
    data[second] = make_float2(a.x - turned.x, a.y - turned.y);
    __syncthreads();
  }
  for (int i = t; i < 256; i += 128) out[i] = data[i];
}

CASE(fourier_transform_in_shared_memory) {
  std::vector<float2> signal(256);
  conformance::Random random(92);
  for (float2& v : signal) {
    v = make_float2(static_cast<float>(random.uniform(-1, 1)),
                    static_cast<float>(random.uniform(-1, 1)));
  }
  Buffer<float2> in(signal), out(256);
  fft_256<<<1, 128>>>(in.ptr(), out.ptr());
  const std::vector<float2> got = out.host();
  std::vector<double> parts;
  for (const float2 v : got) parts.insert(parts.end(), {v.x, v.y});
  EXPECT_NEAR(parts, 1e-4, 0, [&](std::size_t at) {
    std::complex<double> sum = 0;
    for (int i = 0; i < 256; ++i) {
      const double angle = -2 * M_PI * static_cast<double>(at / 2 * i % 256) / 256;
      sum += std::complex<double>(signal[i].x, signal[i].y) * std::polar(1.0, angle);
    }
    return at % 2 == 0 ? sum.real() : sum.imag();
  });
}

// Explicit steps of the heat equation by one block, all in shared memory.
__global__ void heat(const double* in, double* out, int steps) {
  __shared__ double now[2][128];
  const int t = threadIdx.x;
  now[0][t] = in[t];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const double* const from = now[step % 2];
    now[1 - step % 2][t] =
        t == 0 || t == 127 ? from[t] : from[t] + 0.25 * (from[t - 1] - 2 * from[t] + from[t + 1]);
    __syncthreads();
  }
  out[t] = now[steps % 2][t];
}

// A sine between fixed ends keeps its shape and only shrinks: by a known factor per step.
CASE(heat_equation_decays_as_it_must) {
  std::vector<double> start(128);
  for (int i = 0; i < 128; ++i) start[i] = std::sin(M_PI * 3 * i / 127.0);
  start[127] = 0;
  Buffer<double> in(start), out(128);
  heat<<<1, 128>>>(in.ptr(), out.ptr(), 300);
  const double half = std::sin(M_PI * 3 / 127.0 / 2);
  const double factor = std::pow(1 - half * half, 300);
  EXPECT_NEAR(out, 1e-12, 0, [&](std::size_t i) { return start[i] * factor; });
}
