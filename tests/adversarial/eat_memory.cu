// verdict: out_of_memory
// verdict without a memory cgroup: crashed
#include <cstdlib>
#include <cstring>
__global__ void f(const float* x, float* y, float a, int n) {
  while (true) {
    void* p = std::malloc(64 << 20);
    if (p == nullptr) std::abort();
    std::memset(p, 1, 64 << 20);
  }
}
