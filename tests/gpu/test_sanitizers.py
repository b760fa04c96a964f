"""compute-sanitizer on a real GPU: each tool finds what it is for, and nothing in kernels that are right."""
import unittest

from support import gpu_kernels, kernels
from support.python_kernels import code

N = 1000
SHARED = """
__global__ void mirror(const float* x, float* y, int n) {
  __shared__ float tile[256];
  tile[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  BARRIER
  y[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
"""
DIVERGENT = """
__global__ void uneven(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 < 16) {
    __syncthreads();
  }
  y[i] = x[i];
}
"""
UNWRITTEN = """
__global__ void adds(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * 0.f + x[i];
}
"""


def contract(n, grid, block=256):
    return {"args": [kernels.tensor("x", [n], init={"kind": "randn"}),
                     kernels.tensor("y", [n], "output"), kernels.scalar("n", "int", n)],
            "launch": kernels.launch(grid, block)}


def checked(gpu, kernel, *words, **options):
    body = {"kernel": kernel, "num_trials": 3, "timeout": 200, "sanitize": list(words), **options}
    result = gpu.run(body, limit=220)["result"]
    status = result["sanitizers"]
    if status["state"] == "unavailable":
        raise unittest.SkipTest(status["reason"])
    assert status["state"] == "checked", status
    assert status["by"] == "compute-sanitizer"
    return result


def test_an_access_behind_the_end_has_array_index_thread_and_line(gpu):
    beyond = kernels.SCALE.replace("if (i < n) y[i]", "y[i]").replace("x[i]", "x[i < n ? i : 0]")
    result = checked(gpu, kernels.kernel(beyond, kernels.scale_io(N)), "memory")
    found = result["findings"][0]
    assert found["kind"] == "out_of_bounds", result
    assert found["array"] == "y" and found["index"] >= N, found
    assert found["place"]["line"] == 4 and found["place"]["is_write"], found
    index = found["place"]["block"][0] * 256 + found["place"]["thread"][0]
    assert index == found["index"], found


def test_a_missing_barrier_is_a_race(gpu):
    source = SHARED.replace("BARRIER", "")
    found = checked(gpu, kernels.kernel(source, contract(1024, 4)), "race")["findings"][0]
    assert found["kind"] == "race"
    assert {found["place"]["line"], found["other"]["line"]} == {4, 6}, found


def test_a_kernel_that_is_right_passes_all_four(gpu):
    source = SHARED.replace("BARRIER", "__syncthreads();")
    result = checked(gpu, kernels.kernel(source, contract(1024, 4)), "memory", "race", "init", "sync")
    assert result["verdict"] == "accepted", result
    assert "findings" not in result


def test_a_read_of_what_nobody_wrote_is_found(gpu):
    found = checked(gpu, kernels.kernel(UNWRITTEN, contract(1024, 4)), "init")["findings"][0]
    assert found["kind"] == "uninitialised_read" and found["array"] == "y", found


def test_a_barrier_that_half_a_warp_goes_around_is_found(gpu):
    result = checked(gpu, kernels.kernel(DIVERGENT, contract(1024, 4)), "sync")
    assert result["findings"][0]["kind"] in ("barrier_divergence", "warp_misuse"), result
    assert result["findings"][0]["place"]["line"] == 5, result


def test_triton_kernels_are_checked_too(gpu):
    result = checked(gpu, code(gpu_kernels.TRITON, "triton"), "memory",
                     reference=code(gpu_kernels.REFERENCE, "torch"))
    assert result["verdict"] == "accepted", result
