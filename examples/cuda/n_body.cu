// Bodies pass through shared memory a block at a time, four floats per load.
constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads)
    n_body(const float* __restrict__ bodies, float* __restrict__ pull, int n, float softening) {
  __shared__ float4 tile[kThreads];
  const auto* const all = reinterpret_cast<const float4*>(bodies);
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float4 me = i < n ? all[i] : make_float4(0, 0, 0, 0);
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (int start = 0; start < n; start += kThreads) {
    const int j = start + threadIdx.x;
    tile[threadIdx.x] = j < n ? all[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kThreads; ++k) {
      const float4 other = tile[k];  // without mass it pulls nothing
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float weight = other.w * inverse * inverse * inverse;
      x += dx * weight;
      y += dy * weight;
      z += dz * weight;
    }
    __syncthreads();
  }
  if (i >= n) return;
  pull[3 * i] = x;
  pull[3 * i + 1] = y;
  pull[3 * i + 2] = z;
}
