// verdict: crashed
// The 32-bit system calls have numbers of their own, which our lists do not know: 26 is ptrace there.
#include <string.h>
#include <sys/mman.h>
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    // push rbx; mov eax, 26; xor ebx, ebx; int 0x80; pop rbx; ret
    const unsigned char code[] = {0x53, 0xb8, 26, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80, 0x5b, 0xc3};
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    ((int (*)())page)();
  }
  if (i < n) y[i] = a * x[i];
}
