// Inclusive prefix sums along each row, one thread per row.
__global__ void row_scan(const int* in, int* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  for (int i = 0; i < columns; ++i) {
    sum += in[row * columns + i];
    out[row * columns + i] = sum;
  }
}
