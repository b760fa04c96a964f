// verdict: accepted
// Right only if neither the server (SERVER_PORT, put in by the test) nor anything else answers.
#include <arpa/inet.h>
#include <sys/socket.h>
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool reached = false;
  if (i == 0) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{}; to.sin_family = AF_INET; to.sin_port = htons(SERVER_PORT); to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    reached = fd >= 0 && connect(fd, (sockaddr*)&to, sizeof to) == 0;
  }
  if (i < n) y[i] = reached ? 0 : a * x[i];
}
