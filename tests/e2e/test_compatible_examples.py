"""The examples of the compatible API's documents that the other files do not send: every kernel type,
in the typed and in the legacy form, from a shell and from a program."""
import json
import shutil
import subprocess

import pytest

from support import kernels, python_kernels
from support.kernels import scalar, tensor

code = python_kernels.code
PATIENCE = 600  # seconds: a first build of an extension, on a busy machine

REFERENCE = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, a, b):
        return a + b

def get_inputs():
    a = torch.randn(1, 128).cuda()
    b = torch.randn(1, 128).cuda()
    return [a, b]

def get_init_inputs():
    return []
"""

EMBEDDED_CUDA = '''
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* out, int size) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < size) {
        out[idx] = a[idx] + b[idx];
    }
}

torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b) {
    auto size = a.numel();
    auto out = torch::zeros_like(a);
    const int block_size = 256;
    const int num_blocks = (size + block_size - 1) / block_size;
    add_kernel<<<num_blocks, block_size>>>(a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), size);
    return out;
}
"""

cpp_source = "torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b);"

add = load_inline(
    name="add",
    cpp_sources=cpp_source,
    cuda_sources=source,
    functions=["add_cuda"],
    verbose=True,
    extra_cflags=[""],
    extra_ldflags=[""],
)

class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.add = add

    def forward(self, a, b):
        return self.add.add_cuda(a, b)
'''

TRITON_MODULE = """
import torch
import triton
import triton.language as tl

@triton.jit
def add_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(a_ptr + offsets, mask=mask) + tl.load(b_ptr + offsets, mask=mask), mask=mask)

class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        out = torch.empty_like(a)
        grid = lambda meta: (triton.cdiv(a.numel(), meta["BLOCK"]),)
        add_kernel[grid](a, b, out, a.numel(), BLOCK=64)
        return out
"""

INPUTS = REFERENCE[REFERENCE.index("def get_inputs"):]


def check_accepted(answer):
    assert answer.status == 200, answer.text
    check_result(answer.json)


def check_result(body):
    assert body["status"] == "success" and body["verdict"] == "accepted", body.get("reason")
    result = body["kernel_exec_result"]
    assert result["compiled"] and result["correctness"] and result["runtime"] > 0
    assert result["runtime"] == pytest.approx(result["runtime_stats"]["mean"])


@pytest.mark.parametrize("path", ["/", "/compare"])
def test_legacy_form_compares_torch_with_embedded_cuda(server, path):
    body = {"ref_code": REFERENCE, "custom_code": EMBEDDED_CUDA, "num_trials": 5}
    answer = server.post(path, {**body, "timeout": PATIENCE}, timeout=PATIENCE)
    check_accepted(answer)
    assert answer.json["ref_runtime"]["mean"] > 0


def test_typed_form_with_embedded_cuda_typed_into_a_shell(server):
    if shutil.which("curl") is None:
        pytest.skip("curl is not there")
    body = {"ref_kernel": code(REFERENCE, "torch"), "custom_kernel": code(EMBEDDED_CUDA, "torch_cuda"),
            "num_trials": 5, "timeout": PATIENCE}
    done = subprocess.run(
        ["curl", "-s", "-X", "POST", f"http://localhost:{server.port}/", "-H", "Content-Type: application/json",
         "-d", json.dumps(body)], capture_output=True, text=True, check=True)
    check_result(json.loads(done.stdout))


def test_embedded_cuda_is_evaluated_alone_with_its_own_inputs(server):
    check_accepted(server.post("/evaluate", {"kernel": code(EMBEDDED_CUDA + INPUTS, "torch_cuda"),
                                             "num_trials": 5, "timeout": PATIENCE}, timeout=PATIENCE))


def test_embedded_cuda_is_called_with_the_contracts_arguments(server):
    io = {"args": [tensor("a", [4, 32], init={"kind": "randn", "seed": 1}),
                   tensor("b", [4, 32], init={"kind": "uniform", "seed": 2})]}
    check_accepted(server.post("/compare", {
        "ref_kernel": code(REFERENCE, "torch", io), "custom_kernel": code(EMBEDDED_CUDA, "torch_cuda", io),
        "num_trials": 5, "timeout": PATIENCE}, timeout=PATIENCE))


def test_embedded_cuda_that_does_not_compile_brings_the_compilers_words(server):
    broken = EMBEDDED_CUDA.replace("out[idx] = a[idx] + b[idx];", "out[idx] = a[idx] + c[idx];")
    body = server.post("/", {"ref_code": REFERENCE, "custom_code": broken, "num_trials": 5,
                             "timeout": PATIENCE}, timeout=PATIENCE).json
    result = body["kernel_exec_result"]
    assert result["compiled"] is False
    assert "out[idx] = a[idx] + c[idx];" in result["compilation_error"]


def test_triton_module_without_a_contract_is_taken(server):
    check_accepted(server.post("/compare", {"ref_kernel": code(REFERENCE, "torch"),
                                            "custom_kernel": code(TRITON_MODULE, "triton"), "num_trials": 5}))


def test_numbers_may_be_text_and_unknown_options_are_ignored(server):
    check_accepted(server.post("/compare", {
        "ref_kernel": code(REFERENCE, "torch"), "custom_kernel": code(REFERENCE, "torch"),
        "num_trials": "5", "timeout": "120", "num_warmup": 10, "collect_device_metrics": False, "index": 7}))


def test_kernel_types_are_written_in_lower_case(server):
    answer = server.post("/evaluate", {"kernel": code(REFERENCE, "TORCH")})
    assert answer.status == 400
    assert answer.json["validation_errors"][0]["field"] == "kernel -> kernel_type"
    assert answer.json["validation_errors"][0]["type"] == "enum"


RAW = """
template <typename T>
__global__ void __launch_bounds__(256) axpb(const T* x, T* y, T alpha, T beta, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = alpha * x[i] + beta;
}

extern "C" __global__ void elementwise_ops(const float* x, float* y, float alpha, float beta, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = SCALE * alpha * x[i] + beta;
}
"""


def raw_io(n=700):
    return {"args": [tensor("x", [n], init={"kind": "randn", "seed": 3}), tensor("y", [n], "output"),
                     scalar("alpha", "float", 0.5), scalar("beta", "float", 2.5), scalar("n", "int", n)],
            "launch": kernels.launch((n + 255) // 256)}


@pytest.mark.parametrize("metadata", [
    {"kernel_name": "elementwise_ops", "compiler_options": ["-DSCALE=1", "--use_fast_math"], "backend": "nvrtc"},
    {"kernel_name": "elementwise_ops", "compiler_options": ["-DSCALE=1"], "backend": "nvcc", "jitify": False},
    {"kernel_name": "axpb<float>", "name_expressions": ["axpb<float>"], "compiler_options": ["-DSCALE=1"]}],
    ids=["nvrtc", "nvcc", "template"])
def test_raw_cuda_takes_its_metadata(server, metadata):
    reference = code("def f(x):\n    return 0.5 * x + 2.5\n", "torch",
                     {"args": [tensor("x", [700], init={"kind": "randn", "seed": 3})]}, function_name="f")
    check_accepted(server.post("/compare", {
        "ref_kernel": reference, "custom_kernel": code(RAW, "cuda", raw_io(), **metadata), "num_trials": 5}))


@pytest.mark.parametrize("io, metadata, complaint", [
    ({"args": []}, {}, "entry_point"), (None, {"entry_point": "run"}, "contract")])
def test_entry_point_needs_a_name_and_a_contract(server, io, metadata, complaint):
    answer = server.post("/evaluate", {"kernel": code("def run():\n    return 1\n", "multi_kernel", io, **metadata)})
    assert complaint in answer.text
    if answer.status == 200:
        assert answer.json["kernel_exec_result"]["compiled"] is False
    else:
        assert answer.status == 400
