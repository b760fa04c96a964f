"""Kernels that hold more of the GPU's memory than one kernel may, and less than there is."""
import atexit
import functools
import pathlib
import tempfile

from test_python_robustness import HELD, LEAKING_TORCH, expect, expect_usable, judge
from test_robustness import BODY, HEAD, body

from support import server as server_module
from support.gpu_kernels import REFERENCE, TORCH

LIMIT = 4 << 30
MORE = 6 << 30
HOARDING_TORCH = LEAKING_TORCH.replace(f"int({HELD} * total)", str(MORE))
HOARDING_REFERENCE = HOARDING_TORCH.replace("ModelNew", "Model") + REFERENCE[REFERENCE.index("def get_inputs"):]
HOARDING_CUDA = ("".join(f"__device__ char huge{k}[{MORE // 2}ull];\n" for k in range(2)) + HEAD +
                 "".join(f"  if (n < 0) y[0] += huge{k}[i - n];\n" for k in range(2)) + BODY)
TOLD = "One kernel may hold 4.0 GiB"


@functools.cache
def limited():
    """A server whose kernels may hold little. It ends with the tests."""
    folder = tempfile.TemporaryDirectory(prefix="assay-limited-")
    path = pathlib.Path(folder.name)
    running = server_module.Server(path / "data", path / "cache", "--devices", "cuda:0", "--gpu-memory",
                                   str(LIMIT)).start()
    atexit.register(folder.cleanup)
    atexit.register(running.stop)
    return running


def test_torch_kernel_that_holds_too_much_is_out_of_memory(gpu):
    expect(judge(limited(), HOARDING_TORCH, "torch"), "out_of_memory", TOLD)
    expect_usable(limited())


def test_reference_that_holds_too_much_has_failed(gpu):
    expect(judge(limited(), TORCH, "torch", reference=HOARDING_REFERENCE), "reference_failed", TOLD)
    expect_usable(limited())


def test_cuda_kernel_that_holds_too_much_is_out_of_memory(gpu):
    job = limited().run(body(HOARDING_CUDA))
    expect((job["verdict"], job["result"]["reason"]), "out_of_memory", TOLD)
    expect_usable(limited())


def test_the_limit_is_told(gpu):
    assert limited().get("/v1/devices").json["devices"][0]["most_kernel_bytes"] == LIMIT
