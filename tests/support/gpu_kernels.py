"""One small model for GPUs, and right candidates of each type."""
import textwrap

REFERENCE = textwrap.dedent("""
    import torch
    import torch.nn as nn

    class Model(nn.Module):
        def forward(self, a, b):
            return torch.relu(a + b)

    def get_inputs():
        return [torch.randn(1024, 1024).cuda(), torch.randn(1024, 1024).cuda()]

    def get_init_inputs():
        return []
""")

TORCH = REFERENCE.replace("class Model(", "class ModelNew(").replace(
    "torch.relu(a + b)", "torch.clamp(a + b, min=0)")

TRITON = textwrap.dedent("""
    import torch
    import torch.nn as nn
    import triton
    import triton.language as tl

    @triton.jit
    def add_relu(a, b, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = at < n
        total = tl.load(a + at, mask=mask) + tl.load(b + at, mask=mask)
        tl.store(out + at, tl.maximum(total, 0.0), mask=mask)

    class ModelNew(nn.Module):
        def forward(self, a, b):
            out = torch.empty_like(a)
            add_relu[(triton.cdiv(a.numel(), 1024),)](a, b, out, a.numel(), BLOCK=1024)
            return out
""")

# Naming this function, even in a macro nobody uses, sends an extension's source to nvcc.
FOR_NVCC = "#include <torch/extension.h>\n#define WHOLE cudaFuncGetAttributes"
AS_A_WHOLE = "was compiled by nvcc as a whole: "  # in the build log

TORCH_CUDA = textwrap.dedent('''
    import torch
    import torch.nn as nn
    from torch.utils.cpp_extension import load_inline

    SOURCE = """
    #include <torch/extension.h>
    #include <c10/cuda/CUDAException.h>

    template <typename scalar_t>
    __global__ void add_relu(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b,
                             scalar_t* __restrict__ out, int64_t n) {
      int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
      if (i < n) {
        scalar_t total = a[i] + b[i];
        out[i] = total > scalar_t(0) ? total : scalar_t(0);
      }
    }

    torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
      TORCH_CHECK(a.is_cuda(), "a must lie on the GPU");
      auto out = torch::empty_like(a);
      AT_DISPATCH_FLOATING_TYPES_AND_HALF(a.scalar_type(), "add_relu", ([&] {
        add_relu<scalar_t><<<(a.numel() + 255) / 256, 256>>>(
            a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), a.numel());
      }));
      C10_CUDA_KERNEL_LAUNCH_CHECK();
      return out;
    }
    """
    extension = load_inline(name="add_relu_NUMBER",
                            cpp_sources="torch::Tensor forward(torch::Tensor a, torch::Tensor b);",
                            cuda_sources=SOURCE, functions=["forward"])

    class ModelNew(nn.Module):
        def forward(self, a, b):
            return extension.forward(a, b)
''')
