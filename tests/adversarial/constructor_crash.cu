// verdict: crashed did_not_compile
struct Bomb { Bomb() { *(volatile int*)8 = 1; } } bomb;
__global__ void f(const float* x, float* y, float a, int n) { }
