"""Contracts from Python: what is sent, and that the server reads it as meant."""
import base64
import json
import os
import pathlib
import subprocess
import zlib

import numpy
import pytest

import assay_client
from assay_client import (IOContractBuilder, IOContractManager, KernelCode, LaunchConfig, TensorData,
                          create_arange_spec, create_full_spec, create_ones_spec,
                          create_randn_spec, create_tensor_spec, create_uniform_spec,
                          create_zeros_spec)
from support.server import ROOT

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
TORCH_PYTHON = pathlib.Path(os.environ.get("ASSAY_PYTHON", CACHE / "assay" / "python" / "bin" / "python"))


def test_builder_writes_what_the_api_reads():
    built = (IOContractBuilder()
             .add_input_tensor("x", create_randn_spec([4, 8], "float16", seed=3))
             .add_inout_tensor("z", {"shape": [2], "init": {"kind": "ones"}})
             .add_output_tensor("y", (4, 8), "float16")
             .add_scalar("n", "int", 32)
             .add_meta_param("BLOCK", 16)
             .set_grid(2, 3).set_block(8).set_shared_mem_bytes(64)
             .set_num_warps(4).set_num_stages(2)
             .build().to_dict())
    assert built == {
        "args": [
            {"name": "x", "type": "tensor", "role": "input", "is_meta": False, "tensor_spec": {
                "shape": [4, 8], "dtype": "float16",
                "init": {"kind": "randn", "seed": 3, "mean": 0, "std": 1}}},
            {"name": "z", "type": "tensor", "role": "inout", "is_meta": False,
             "tensor_spec": {"shape": [2], "init": {"kind": "ones"}}},
            {"name": "y", "type": "tensor", "role": "output", "is_meta": False,
             "tensor_spec": {"shape": [4, 8], "dtype": "float16"}},
            {"name": "n", "type": "int", "value": 32, "role": "input", "is_meta": False},
            {"name": "BLOCK", "type": "int", "value": 16, "role": "input", "is_meta": True}],
        "launch": {"grid": {"x": 2, "y": 3, "z": 1}, "block": {"x": 8, "y": 1, "z": 1},
                   "shared_mem_bytes": 64, "num_warps": 4, "num_stages": 2}}


@pytest.mark.parametrize("spec, init", [
    (create_uniform_spec([3], low=-1, high=0), {"kind": "uniform", "low": -1, "high": 0}),
    (create_zeros_spec([3]), {"kind": "zeros"}),
    (create_ones_spec([3]), {"kind": "ones"}),
    (create_full_spec([3], 2.5), {"kind": "full", "fill_value": 2.5}),
    (create_arange_spec([3], start=1, step=0), {"kind": "arange", "start": 1, "step": 0}),
])
def test_specs_say_how_the_elements_come_about(spec, init):
    assert spec.to_dict() == {"shape": [3], "dtype": "float32", "init": init}


def test_spec_without_content_has_neither_init_nor_data():
    assert create_tensor_spec([3], "int8").to_dict() == {"shape": [3], "dtype": "int8"}


def elements(data):
    raw = base64.b64decode(data.data_b64)
    return zlib.decompress(raw) if data.compress == "zlib" else raw


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "int32", "int16", "int8",
                                   "uint64", "uint32", "uint16", "uint8", "bool"])
def test_array_of_every_dtype_keeps_its_elements(dtype):
    array = (numpy.arange(12) % 5).astype(dtype).reshape(3, 4)
    data = TensorData.of(array)
    assert (data.dtype, data.shape) == (dtype, [3, 4])
    assert elements(data) == array.tobytes()


@pytest.mark.parametrize("array", [
    numpy.arange(12.0).reshape(3, 4).T, numpy.arange(24.0)[::2], numpy.arange(12.0, dtype=">f8"),
    numpy.asfortranarray(numpy.arange(12.0).reshape(3, 4)), numpy.float64(7), numpy.empty((0, 3))])
def test_array_is_sent_in_c_order_and_little_endian(array):
    data = TensorData.of(array)
    got = numpy.frombuffer(elements(data), "<f8").reshape(data.shape)
    assert numpy.array_equal(got, array)


def test_large_array_is_compressed_where_that_helps():
    assert TensorData.of(numpy.zeros(10_000)).compress == "zlib"
    noise = numpy.frombuffer(os.urandom(8000), "uint8")
    assert TensorData.of(noise).compress == "none"


@pytest.mark.parametrize("value", [numpy.zeros(2, "complex64"), "text", 3, None, numpy.array(["a"])])
def test_what_is_no_tensor_of_the_contract_is_refused(value):
    with pytest.raises(TypeError):
        IOContractBuilder().add_input_tensor("x", value)


def test_numbers_and_dtypes_of_numpy_are_taken_as_what_they_are():
    built = (IOContractBuilder()
             .add_input_tensor("x", create_randn_spec((numpy.int64(3),), numpy.float16))
             .add_input_tensor("y", create_tensor_spec([3], numpy.dtype("int8")))
             .add_scalar("n", "int", numpy.int64(3)).add_meta_param("B", numpy.int32(8))
             .build())
    args = json.loads(json.dumps(built.to_dict()))["args"]
    assert [arg["tensor_spec"]["dtype"] for arg in args[:2]] == ["float16", "int8"]
    assert args[0]["tensor_spec"]["shape"] == [3]
    assert [(arg["type"], arg["value"]) for arg in args[2:]] == [("int", 3), ("int", 8)]


def test_grid_of_a_triton_kernel_may_be_an_expression(server):
    source = """import triton, triton.language as tl
@triton.jit
def twice(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
"""
    builder = (IOContractBuilder().add_input_tensor("x", create_randn_spec([1000]))
               .add_output_tensor("y", [1000]).add_scalar("n", "int", 1000)
               .add_meta_param("B", 128))
    contracts = [builder.set_grid("cdiv(n, B)").build()] + [
        builder.set_launch_config(LaunchConfig(grid=grid)).build()
        for grid in ("cdiv(n, B)", ["cdiv(n, B)"], [8, 1])]
    short = builder.set_grid("cdiv(n, B) - 1").build()
    client = assay_client.AssayClient(f"http://127.0.0.1:{server.port}")
    for contract in contracts:
        job = client.wait(client.submit(assay_client.CompareRequest(
            KernelCode(source, "triton", contracts[0]), KernelCode(source, "triton", contract),
            num_trials=2)))
        assert job.verdict == "accepted", job
    job = client.wait(client.submit(assay_client.CompareRequest(
        KernelCode(source, "triton", contracts[0]), KernelCode(source, "triton", short),
        num_trials=2)))
    assert job.verdict == "wrong_answer", job


def test_name_used_twice_is_refused():
    with pytest.raises(ValueError, match="'x'"):
        IOContractBuilder().add_scalar("x", "int", 1).add_scalar("x", "int", 2)


def test_meta_parameter_that_is_no_scalar_is_refused():
    with pytest.raises(TypeError, match="list"):
        IOContractBuilder().add_meta_param("BLOCK", [1])


def test_contract_is_made_of_the_arguments_of_a_call():
    x, y = numpy.ones(4, "float32"), numpy.zeros(4, "float16")
    contract = IOContractManager.create_io_contract(
        [x, y, 4, True, 0.5], output_indices=[1], arg_names=["x", "y", "n", "flag", "a"],
        launch_config=LaunchConfig(num_warps=2))
    assert [(a.name, a.type, a.role) for a in contract.args] == [
        ("x", "tensor", "input"), ("y", "tensor", "output"), ("n", "int", "input"),
        ("flag", "bool", "input"), ("a", "float", "input")]
    assert contract.args[1].tensor_spec.to_dict() == {"shape": [4], "dtype": "float16"}
    assert IOContractManager.extract_outputs(contract, [x, y, 4, True, 0.5])[0] is y
    with pytest.raises(ValueError, match="2 names for 1 arguments"):
        IOContractManager.create_io_contract([x], arg_names=["x", "y"])


def test_kernel_comes_back_from_its_file(tmp_path):
    contract = IOContractBuilder().add_input_tensor("x", numpy.ones(3)).set_grid(2).build()
    contract.launch.cluster = assay_client.LaunchDim(2)
    code = KernelCode("text", assay_client.KernelType.CUDA, contract, {"kernel_name": "f"})
    assay_client.save_to_file(code, tmp_path / "kernel.json")
    assert assay_client.load_from_file(tmp_path / "kernel.json", "KernelCode") == code
    assert assay_client.load_from_file(tmp_path / "kernel.json") == json.loads(
        assay_client.to_json(code))
    with pytest.raises(ValueError, match="'Kernel'"):
        assay_client.load_from_file(tmp_path / "kernel.json", "Kernel")


def test_server_reads_the_elements_that_were_sent(server):
    values = numpy.random.default_rng(1).standard_normal(2000).astype("float32")
    contract = (IOContractBuilder().add_input_tensor("x", values)
                .add_output_tensor("y", values.shape).set_grid(8).set_block(256).build())
    source = """__global__ void f(const float* x, float* y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 2000) y[i] = %s; }"""
    client = assay_client.AssayClient(f"http://127.0.0.1:{server.port}")
    wrong = client.wait(client.submit(assay_client.CompareRequest(
        KernelCode(source % "x[i]", "cuda", contract),
        KernelCode(source % "x[i] + (i == 1234)", "cuda", contract), num_trials=1)))
    mismatch = wrong.result["details"]["first_mismatch"]
    assert mismatch["index"] == [1234]
    assert numpy.float32(mismatch["want"]) == values[1234]


@pytest.mark.skipif(not TORCH_PYTHON.exists(), reason=f"{TORCH_PYTHON} is not there")
def test_torch_tensors_of_every_dtype_keep_their_elements():
    script = """
import base64, zlib, torch
from assay_client import TensorData
for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32,
              torch.int16, torch.int8, torch.uint8, torch.bool):
    tensor = torch.arange(600).remainder(2).to(dtype).reshape(20, 30).t().requires_grad_(
        dtype.is_floating_point)
    data = TensorData.of(tensor)
    raw = base64.b64decode(data.data_b64)
    raw = zlib.decompress(raw) if data.compress == "zlib" else raw
    got = torch.frombuffer(bytearray(raw), dtype=dtype).reshape(data.shape)
    assert torch.equal(got, tensor), dtype
    assert data.dtype == str(dtype)[6:] and data.shape == [30, 20]
try:
    TensorData.of(torch.zeros(1, dtype=torch.complex64))
except TypeError as error:
    print(error)
"""
    done = subprocess.run([TORCH_PYTHON, "-c", script], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python/assay_client/src")})
    assert done.stdout.strip() == "a contract cannot hold complex64", done.stderr
