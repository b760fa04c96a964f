// verdict: wrong_answer
__global__ void layer_norm(const float* x, const float* weight, const float* bias, float eps, float* y, int width) {
  const float* in = x + blockIdx.x * width;
  float sum = 0, squares = 0;
  for (int i = 0; i < width; ++i) sum += in[i];
  for (int i = 0; i < width; ++i) squares += (in[i] - sum / width) * (in[i] - sum / width);
  const float scale = rsqrtf(squares + eps);  // not divided by the width
  for (int i = threadIdx.x; i < width; i += 32) {
    y[blockIdx.x * width + i] = (in[i] - sum / width) * scale * weight[i] + bias[i];
  }
}
