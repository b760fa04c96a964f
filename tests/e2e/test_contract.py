"""The IoContract as kernels see it: dtypes, contents, scalars, launches."""
import base64
import struct
import sys
import zlib

import pytest

from support import kernels
from support.kernels import kernel, launch, scalar, tensor
from support.server import Server

CTYPES = {
    "float64": "double", "float32": "float", "float16": "__half", "bfloat16": "__nv_bfloat16",
    "int64": "long long", "int32": "int", "int16": "short", "int8": "signed char",
    "uint64": "unsigned long long", "uint32": "unsigned", "uint16": "unsigned short",
    "uint8": "unsigned char", "bool": "bool",
}
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"


def copy_kernel(dtype):
    ctype = CTYPES[dtype]
    return HEADERS + f"""__global__ void f(const {ctype}* x, {ctype}* y, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }}"""


def checked(server, io, expression, dtype="float32", count=8, parameters=""):
    """Runs a kernel that must find `expression` true for every element of x."""
    ctype = CTYPES[dtype]
    source = HEADERS + f"""__global__ void f(const {ctype}* x, int* y, int n{parameters}) {{
      int i = threadIdx.x; if (i < n) y[i] = ({expression}) ? 1 : 0; }}"""
    reference = HEADERS + f"""__global__ void f(const {ctype}* x, int* y, int n{parameters}) {{
      int i = threadIdx.x; if (i < n) y[i] = 1; }}"""
    job = server.run({"reference": kernel(reference, io), "candidate": kernel(source, io),
                      "num_trials": 1})
    assert job["verdict"] == "accepted", job["result"]["reason"]


def one_input(spec_tensor, count=8, *extra):
    return {"args": [spec_tensor, tensor("y", [count], "output", "int32"),
                     scalar("n", "int", count), *extra], "launch": launch(1, 32)}


@pytest.mark.parametrize("dtype", sorted(CTYPES))
def test_every_dtype_passes_through_a_kernel(server, dtype):
    io = {"args": [tensor("x", [300], dtype=dtype, init={"kind": "randn"}),
                   tensor("y", [300], "output", dtype), scalar("n", "int", 300)],
          "launch": launch(2, 256)}
    job = server.run({"reference": kernel(copy_kernel(dtype), io),
                      "candidate": kernel(copy_kernel(dtype) + "\n//", io), "num_trials": 1})
    assert job["verdict"] == "accepted", job["result"]["reason"]


@pytest.mark.parametrize("init, expression", [
    ({"kind": "zeros"}, "x[i] == 0.0f"),
    ({"kind": "ones"}, "x[i] == 1.0f"),
    ({"kind": "full", "fill_value": -2.5}, "x[i] == -2.5f"),
    ({"kind": "arange"}, "x[i] == (float)i"),
    ({"kind": "arange", "start": 10, "step": -2}, "x[i] == 10.0f - 2.0f * i"),
    ({"kind": "uniform", "low": -1, "high": 0}, "x[i] >= -1.0f && x[i] < 0.0f"),
    ({"kind": "uniform"}, "x[i] >= 0.0f && x[i] < 1.0f"),
    ({"kind": "randn", "std": 0}, "x[i] == 0.0f"),
    ({"kind": "randn", "mean": 100, "std": 1}, "x[i] > 90.0f && x[i] < 110.0f"),
])
def test_init_kinds_mean_what_they_say(server, init, expression):
    checked(server, one_input(tensor("x", [2, 4], init=init)), expression)


def test_uniform_integers_include_both_ends(server):
    io = one_input(tensor("x", [8], dtype="int32", init={"kind": "uniform", "low": 3, "high": 3}))
    checked(server, io, "x[i] == 3", "int32")


@pytest.mark.parametrize("compress", ["none", "zlib"])
def test_literal_data_arrives_exactly(server, compress):
    raw = struct.pack("<8f", *[1.5 * i for i in range(8)])
    packed = zlib.compress(raw) if compress == "zlib" else raw
    data = {"data_b64": base64.b64encode(packed).decode(), "dtype": "float32", "shape": [8],
            "compress": compress}
    checked(server, one_input(tensor("x", [1], data=data)), "x[i] == 1.5f * i")


def test_bfloat16_literals_are_taken(server):
    raw = b"".join(struct.pack("<f", float(i))[2:] for i in range(8))
    data = {"data_b64": base64.b64encode(raw).decode(), "dtype": "bfloat16", "shape": [8]}
    io = one_input(tensor("x", [8], data=data))
    checked(server, io, "__bfloat162float(x[i]) == (float)i", "bfloat16")


@pytest.mark.parametrize("ctype, kind, value, test", [
    ("float", "float", 2.5, "s == 2.5f"), ("double", "float", 0.1, "s == 0.1"),
    ("float", "int", 3, "s == 3.0f"), ("int", "int", -7, "s == -7"),
    ("long long", "int", 2**40, "s == (1LL << 40)"), ("unsigned char", "int", 255, "s == 255"),
    ("bool", "bool", True, "s"), ("__half", "float", 0.5, "__half2float(s) == 0.5f"),
    ("size_t", "int", 9, "s == 9"),
])
def test_scalars_have_the_kernels_own_types(server, ctype, kind, value, test):
    io = one_input(tensor("x", [8], init={"kind": "zeros"}), 8, scalar("s", kind, value))
    checked(server, io, test, parameters=f", {ctype} s")


@pytest.mark.parametrize("ctype, kind, value", [
    ("int", "float", 2.5), ("unsigned char", "int", 300), ("float*", "int", 3), ("int", "str", "x")])
def test_scalar_that_does_not_fit_is_refused_with_the_reason(server, ctype, kind, value):
    source = f"__global__ void f(float* y, {ctype} s) {{}}"
    io = {"args": [tensor("y", [4], "output"), scalar("s", kind, value)], "launch": launch(1, 1)}
    job = server.run({"kernel": kernel(source, io)})
    assert job["verdict"] == "did_not_compile"
    assert "argument 2" in job["result"]["reason"]


def test_wrong_number_of_arguments_is_said(server):
    io = {"args": [tensor("y", [4], "output")], "launch": launch(1, 1)}
    job = server.run({"kernel": kernel("__global__ void f(float* y, int n) {}", io)})
    assert "takes 2 arguments, the contract gives 1" in job["result"]["reason"]


def test_declared_seed_matches_across_contracts_and_unseeded_tensors_differ(server):
    seeded = {"kind": "randn", "seed": 3}
    free = {"kind": "randn"}
    ref_io = {"args": [tensor("a", [64], init=seeded), tensor("b", [64], init=free),
                       tensor("c", [64], init=free), tensor("y", [64], "output")],
              "launch": launch(1, 64)}
    cand_io = {"args": [tensor("b", [64], init=free), tensor("y", [64], "output"),
                        tensor("c", [64], init=free), tensor("a", [64], init=seeded)],
               "launch": launch(1, 64)}
    ref = """__global__ void f(const float* a, const float* b, const float* c, float* y) {
      int i = threadIdx.x; y[i] = (b[i] == c[i]) ? 1e9f : a[i] + 2 * b[i] + 3 * c[i]; }"""
    cand = """__global__ void f(const float* b, float* y, const float* c, const float* a) {
      int i = threadIdx.x; y[i] = a[i] + 2 * b[i] + 3 * c[i]; }"""
    # Two rounds have the author's own inputs: changed ones may have zeros in the same places of both.
    job = server.run({"reference": kernel(ref, ref_io), "candidate": kernel(cand, cand_io),
                      "num_trials": 1, "rounds": 2, "atol": 1e-5, "rtol": 1e-5})
    assert job["verdict"] == "accepted", job["result"]["reason"]


REDUCE = """
__global__ void total(const float* x, float* y, int n) {
  extern __shared__ float part[];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[0] = part[0];
}
"""
SERIAL = """__global__ void total(const float* x, float* y, int n) {
  if (threadIdx.x == 0) { double sum = 0; for (int i = 0; i < n; ++i) sum += x[i]; y[0] = sum; } }"""


def test_shared_memory_reduction_with_barriers(server):
    io = {"args": [tensor("x", [5000], init={"kind": "uniform"}), tensor("y", [1], "output"),
                   scalar("n", "int", 5000)], "launch": launch(1, 256, shared=1024)}
    job = server.run({"reference": kernel(SERIAL, io), "candidate": kernel(REDUCE, io),
                      "num_trials": 5})
    assert job["verdict"] == "accepted", job["result"]["reason"]


def test_inout_tensor_starts_the_same_in_every_run(server):
    source = """__global__ void f(const float* x, float* y, int n) {
      int i = threadIdx.x; if (i < n) y[i] += x[i]; }"""
    io = {"args": [tensor("x", [32], init={"kind": "randn"}),
                   tensor("y", [32], "inout", init={"kind": "randn"}), scalar("n", "int", 32)],
          "launch": launch(1, 32)}
    job = server.run({"reference": kernel(source, io), "candidate": kernel(source + " ", io),
                      "num_trials": 20})
    assert job["verdict"] == "accepted", job["result"]["reason"]


def test_kernel_is_chosen_by_name_and_a_wrong_name_lists_them(server):
    source = """__global__ void first(float* y) { y[0] = 1; }
    __global__ void second(float* y) { y[0] = 2; }"""
    io = {"args": [tensor("y", [1], "output")], "launch": launch(1, 1)}
    ok = server.run({"reference": kernel(source, io, kernel_name="second"),
                     "candidate": kernel(source, io, kernel_name="first"), "num_trials": 1})
    assert ok["verdict"] == "wrong_answer"
    bad = server.run({"kernel": kernel(source, io, kernel_name="third")})
    assert bad["verdict"] == "did_not_compile"
    assert "first" in bad["result"]["reason"] and "second" in bad["result"]["reason"]


def test_comparison_of_nothing_never_passes(server):
    io = {"args": [tensor("y", [0], "output")], "launch": launch(1, 1)}
    source = "__global__ void f(float* y) {}"
    job = server.run({"reference": kernel(source, io), "candidate": kernel(source + " ", io)})
    assert job["verdict"] == "wrong_answer"
    assert "nothing to compare" in job["result"]["reason"]


@pytest.mark.parametrize("args, parameters", [([], ""), ([tensor("y", [0], "output")], "float* y")])
def test_answer_of_nothing_is_wrong_without_a_reference_too(server, args, parameters):
    source = f"__global__ void f({parameters}) {{}}"
    job = server.run({"kernel": kernel(source, {"args": args, "launch": launch(1, 1)})})
    assert job["verdict"] == "wrong_answer"
    assert job["result"]["reason"].startswith("There is nothing to compare")


@pytest.mark.parametrize("dtype", sorted(CTYPES))
def test_output_that_nobody_writes_is_wrong_and_said_to_be_unwritten(server, dtype):
    idle = kernel(HEADERS + f"__global__ void f({CTYPES[dtype]}* y) {{}}",
                  {"args": [tensor("y", [8], "output", dtype)], "launch": launch(1, 8)})
    for body in ({"reference": idle, "candidate": idle}, {"kernel": idle}):
        job = server.run(body)
        assert job["verdict"] == "wrong_answer"
        assert "the output seems not to have been written" in job["result"]["reason"]


def test_output_with_content_need_not_be_written(server):
    idle = kernel("__global__ void f(int* y) {}",
                  {"args": [tensor("y", [8], "output", "int32", init={"kind": "zeros"})],
                   "launch": launch(1, 8)})
    for body in ({"reference": idle, "candidate": idle}, {"kernel": idle}):
        assert server.run(body)["verdict"] == "accepted"


def test_clusters_are_unsupported_on_the_cpu(server):
    io = {"args": [tensor("y", [2], "output")],
          "launch": {**launch(2, 1), "cluster": {"x": 2}}}
    job = server.run({"kernel": kernel("__global__ void f(float* y) { y[blockIdx.x] = 1; }", io)})
    assert job["verdict"] == "unsupported"
    assert "launch.cluster" in job["result"]["reason"]


REVERSE = """__global__ void f(int* y) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x; __syncthreads(); y[threadIdx.x] = tile[255 - threadIdx.x]; }"""


@pytest.mark.parametrize("asked, verdict", [(0, "crashed"), (4, "crashed"), (1020, "crashed"),
                                            (1024, "accepted")])
def test_writing_past_dynamic_shared_memory_is_a_crash_that_says_so(server, asked, verdict):
    io = {"args": [tensor("y", [256], "output", "int32")], "launch": launch(1, 256, asked)}
    job = server.run({"kernel": kernel(REVERSE, io)})
    assert job["verdict"] == verdict, job["result"].get("reason")
    if verdict == "crashed":
        assert f"the launch asked for {asked} bytes" in job["result"]["reason"]


def test_shape_and_dtype_must_agree(server):
    source = "__global__ void f(float* y) { y[threadIdx.x] = 1; }"
    four = {"args": [tensor("y", [4], "output")], "launch": launch(1, 4)}
    square = {"args": [tensor("y", [2, 2], "output")], "launch": launch(1, 4)}
    job = server.run({"reference": kernel(source, four), "candidate": kernel(source, square)})
    assert "Shape mismatch: ref=[4], custom=[2, 2]" in job["result"]["reason"]


@pytest.fixture(scope="module")
def without_torch(tmp_path_factory, cache_dir):
    """A server whose Python, the one that runs these tests, has no torch."""
    running = Server(tmp_path_factory.mktemp("without-torch") / "data", cache_dir, "--python",
                     sys.executable).start()
    yield running
    running.stop()


@pytest.mark.parametrize("kind", ["torch", "torch_cuda", "triton", "multi_kernel"])
def test_kernel_types_without_a_backend_are_unsupported_with_the_reason(without_torch, kind):
    code = {"source_code": "class Model: pass", "kernel_type": kind}
    job = without_torch.run({"kernel": code})
    assert job["verdict"] == "unsupported"
    assert job["result"]["reason"].endswith("has no torch")


def test_tensors_that_no_device_takes_are_refused_at_once_with_their_sizes(fresh_server):
    server = fresh_server("--tensor-memory", "1mb").start()
    assert server.get("/v1/devices").json["devices"][0]["most_tensor_bytes"] == 1 << 20
    io = {"args": [tensor("x", [1 << 18], init={"kind": "randn"}), tensor("y", [1 << 18], role="output")]}
    body = {"candidate": kernel(copy_kernel("float32").replace(", int n", "").replace("if (i < n) ", ""), io)}
    answer = server.post("/v1/jobs", body)
    assert answer.status == 400
    error = answer.json["error"]
    assert "hold 2097152 bytes. On cpu one kernel may have 1048576" in str(error)
    assert server.get("/v1/jobs").json["jobs"] == []
