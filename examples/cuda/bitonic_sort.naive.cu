// Each row of 256 numbers in ascending order: an element's place is how many go before it.
__global__ void sort_rows(const int* in, int* out, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 256;
  if (row >= rows) return;
  int place = 0;
  for (int j = row * 256; j < row * 256 + 256; ++j) {
    if (in[j] < in[i] || (in[j] == in[i] && j < i)) ++place;
  }
  out[row * 256 + place] = in[i];
}
