"""What such scripts do today: a fresh interpreter imports torch, builds the kernel with load_inline,
checks it against the reference over five rounds of inputs and times a hundred runs with events.

Run by gpu_bench.py, as a process of its own each time. Prints one line of JSON with the phases.
"""
import json
import os
import sys
import tempfile
import time

START = time.perf_counter()
if "--cold" in sys.argv:
    os.environ["TORCH_EXTENSIONS_DIR"] = tempfile.mkdtemp(prefix="extensions-")

import torch  # noqa: E402
from torch.utils.cpp_extension import load_inline  # noqa: E402

IMPORTED = time.perf_counter()
N = 1 << 20

KERNEL = """
__global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
torch::Tensor run(torch::Tensor x, double a) {
  auto y = torch::empty_like(x);
  int n = x.numel();
  scale<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), (float)a, n);
  return y;
}
"""


def main():
    module = load_inline("scale_baseline", cpp_sources="torch::Tensor run(torch::Tensor, double);",
                         cuda_sources=KERNEL, functions=["run"])
    built = time.perf_counter()
    for round_number in range(5):
        torch.manual_seed(round_number)
        x = torch.randn(N, device="cuda")
        assert torch.allclose(module.run(x, 2.5), 2.5 * x, atol=1e-2, rtol=1e-2)
    checked = time.perf_counter()
    times = []
    for _ in range(100):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        module.run(x, 2.5)
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    print(json.dumps({"import": IMPORTED - START, "build": built - IMPORTED,
                      "check": checked - built, "time": time.perf_counter() - checked,
                      "total": time.perf_counter() - START}))


main()
