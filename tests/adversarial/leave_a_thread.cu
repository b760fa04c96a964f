// verdict: accepted tampered non_deterministic wrong_answer
// Goes on writing after the run: the worker has copied the answer, and the process dies with its job.
#include <thread>
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) std::thread([y] { while (true) ((volatile float*)y)[0] = 0; }).detach();
  if (i < n) y[i] = a * x[i];
}
