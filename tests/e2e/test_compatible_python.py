"""Requests of the compatible API with Python kernels, as a user would type them."""
import base64
import json
import shutil
import struct
import subprocess
import zlib

import pytest

from support import kernels, python_kernels
from support.kernels import scalar, tensor

code = python_kernels.code
RANDN = {"kind": "randn", "seed": 42}

MODEL = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return torch.relu(x + y)

def get_inputs():
    return [torch.randn(16, 16), torch.randn(16, 16)]

def get_init_inputs():
    return []
"""

ADD_TRITON = """
import triton
import triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
"""

MULTI_KERNEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def scale_kernel(x_ptr, y_ptr, factor, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * factor, mask=mask)

def run(x, factor):
    y = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 128),)](x, y, factor, x.numel(), BLOCK=128)
    return torch.relu(y) + 1
"""


def add_io(n=300):
    return {"args": [tensor("x_ptr", [n], init=RANDN), tensor("y_ptr", [n], init={**RANDN, "seed": 43}),
                     tensor("out_ptr", [n], "output"), scalar("n_elements", "int", n),
                     {**scalar("BLOCK_SIZE", "int", 128), "is_meta": True}],
            "launch": {"grid": {"x": 3}, "num_warps": 4, "num_stages": 2}}


def inputs_io(**named):
    return {"args": [tensor(name, shape, init={**RANDN, "seed": 42 + index})
                     for index, (name, shape) in enumerate(named.items())]}


def answer(server, reference, candidate, **options):
    got = server.post("/compare", python_kernels.compare(reference, candidate, **options))
    assert got.status == 200, got.text
    return got.json


def check_accepted(body):
    result = body["kernel_exec_result"]
    assert body["verdict"] == "accepted", body.get("reason")
    assert result["compiled"] and result["correctness"] and result["runtime"] > 0


def test_two_models_are_compared(server):
    faster = MODEL.replace("class Model(", "class ModelNew(").replace("torch.relu(x + y)", "(x + y).clamp(min=0)")
    body = answer(server, code(MODEL, "torch"), code(faster, "torch"))
    check_accepted(body)
    assert body["ref_runtime"]["mean"] > 0 and body["speedup"] > 0


def test_model_called_model_is_a_candidate_too(server):
    check_accepted(answer(server, code(MODEL, "torch"), code(MODEL, "torch")))


def test_one_model_is_evaluated(server):
    got = server.post("/evaluate", {"kernel": code(MODEL, "torch"), "num_trials": 3}).json
    check_accepted(got)


def test_request_typed_into_a_shell(server):
    if shutil.which("curl") is None:
        pytest.skip("curl is not there")
    done = subprocess.run(
        ["curl", "-s", "-X", "POST", f"http://localhost:{server.port}/", "-H", "Content-Type: application/json",
         "-d", json.dumps({"ref_kernel": code(MODEL, "torch"), "custom_kernel": code(MODEL, "torch"),
                           "num_trials": 3, "timeout": 120})], capture_output=True, text=True, check=True)
    check_accepted(json.loads(done.stdout))


def test_model_without_its_import_does_not_compile_and_says_why(server):
    without = MODEL.replace("import torch\n", "").replace("import torch.nn as nn\n", "")
    result = answer(server, code(MODEL, "torch"), code(without, "torch"))["kernel_exec_result"]
    assert result["compiled"] is False and result["correctness"] is False
    assert "NameError" in result["compilation_error"] and "kernel.py" in result["compilation_error"]
    assert "/site-packages/" not in result["compilation_error"]


def test_comparison_without_any_inputs_is_told_so(server):
    without = MODEL[:MODEL.index("def get_inputs")]
    body = answer(server, code(without, "torch"), code(without, "torch"))
    assert body["verdict"] in ("did_not_compile", "reference_failed")
    assert "get_inputs" in json.dumps(body)


def test_function_is_called_with_the_contracts_arguments(server):
    source = "import torch\n\ndef blend(x, y, weight):\n    return torch.lerp(x, y, weight)\n"
    other = "def mix(x, y, weight):\n    return x + weight * (y - x)\n"
    io = inputs_io(x=[8, 9], y=[8, 9])
    io["args"].append(scalar("weight", "float", 0.25))
    check_accepted(answer(server, code(source, "torch", io, function_name="blend"),
                          code(other, "torch", io, function_name="mix")))


def test_unknown_function_does_not_compile(server):
    io = inputs_io(x=[4])
    good = code("def f(x):\n    return x\n", "torch", io, function_name="f")
    result = answer(server, good, code("def f(x):\n    return x\n", "torch", io,
                                       function_name="g"))["kernel_exec_result"]
    assert result["compiled"] is False
    assert "g" in result["compilation_error"]


def test_method_of_a_class_is_called(server):
    source = """
import torch

class Scaler(torch.nn.Module):
    def __init__(self, factor=3.0):
        super().__init__()
        self.factor = factor

    def apply_scale(self, x):
        return self.factor * x
"""
    io = inputs_io(x=[5, 7])
    check_accepted(answer(
        server, code("def f(x):\n    return 3 * x\n", "torch", io, function_name="f"),
        code(source, "torch", io, class_name="Scaler", method_name="apply_scale")))


def test_class_takes_its_constructor_arguments_from_the_metadata(server):
    source = """
import torch

class Scaler(torch.nn.Module):
    def __init__(self, factor, shift=0.0):
        super().__init__()
        self.factor, self.shift = factor, shift

    def forward(self, x):
        return self.factor * x + self.shift
"""
    io = inputs_io(x=[5, 7])
    reference = code("def f(x):\n    return 5 * x\n", "torch", io, function_name="f")
    check_accepted(answer(server, reference, code(source, "torch", io, class_name="Scaler",
                                                  init_args=[5])))


def test_contract_drives_a_model(server):
    io = inputs_io(x=[6, 6], y=[6, 6])
    other = MODEL.replace("torch.relu(x + y)", "torch.maximum(x + y, torch.zeros_like(x))")
    check_accepted(answer(server, code(MODEL, "torch", io), code(other, "torch", io)))


def test_bare_triton_kernel_is_driven_by_its_contract(server):
    reference = code("def f(x, y):\n    return x + y\n", "torch", inputs_io(x=[300], y=[300]), function_name="f")
    check_accepted(answer(server, reference, code(ADD_TRITON, "triton", add_io(), kernel_name="add_kernel")))
    check_accepted(answer(server, reference, code(ADD_TRITON, "triton", add_io())))


def test_triton_kernel_with_too_small_a_grid_is_wrong(server):
    reference = code("def f(x, y):\n    return x + y\n", "torch", inputs_io(x=[300], y=[300]), function_name="f")
    io = add_io()
    io["launch"]["grid"]["x"] = 2
    body = answer(server, reference, code(ADD_TRITON, "triton", io))
    assert body["verdict"] == "wrong_answer"


def test_triton_kernel_that_writes_nothing_is_said_to_have_written_nothing(server):
    idle = ADD_TRITON.replace("tl.store(out_ptr + offsets, x + y, mask=mask)", "x + y")
    for dtype in ("float32", "int32"):
        io = add_io()
        io["args"][2]["tensor_spec"]["dtype"] = dtype
        body = server.post("/evaluate", {"kernel": code(idle, "triton", io), "num_trials": 3}).json
        assert body["verdict"] == "wrong_answer"
        assert "the output seems not to have been written" in body["reason"]


def test_unknown_triton_kernel_names_those_that_are_there(server):
    got = server.post("/evaluate", {"kernel": code(ADD_TRITON, "triton", add_io(), kernel_name="sub_kernel"),
                                    "num_trials": 3}).json["kernel_exec_result"]
    assert got["compiled"] is False
    assert "sub_kernel" in got["compilation_error"] and "add_kernel" in got["compilation_error"]


def test_triton_source_that_cannot_be_compiled_is_told_with_its_line(server):
    broken = ADD_TRITON.replace("tl.load(x_ptr + offsets, mask=mask)", "tl.no_such_operation(x_ptr)")
    result = server.post("/evaluate", {"kernel": code(broken, "triton", add_io()), "num_trials": 3}).json
    assert result["verdict"] == "did_not_compile"
    assert "no_such_operation" in result["kernel_exec_result"]["compilation_error"]


def test_two_triton_kernels_are_compared(server):
    other = ADD_TRITON.replace("x + y", "y + x")
    check_accepted(answer(server, code(ADD_TRITON, "triton", add_io()), code(other, "triton", add_io())))


def test_entry_point_mixes_kernels_of_several_kinds(server):
    io = inputs_io(x=[200])
    io["args"].append(scalar("factor", "float", 1.5))
    reference = code("import torch\n\ndef f(x, factor):\n    return torch.relu(x * factor) + 1\n",
                     "torch", io, function_name="f")
    check_accepted(answer(server, reference, code(MULTI_KERNEL, "multi_kernel", io, entry_point="run",
                                                  description="scale, then relu")))


def test_missing_entry_point_is_named(server):
    io = inputs_io(x=[200])
    result = server.post("/evaluate", {"kernel": code(MULTI_KERNEL, "multi_kernel", io, entry_point="walk"),
                                       "num_trials": 3}).json["kernel_exec_result"]
    assert result["compiled"] is False
    assert "Entry point 'walk' not found" in result["compilation_error"]


def test_torch_reference_judges_a_raw_cuda_kernel(server):
    io = kernels.scale_io(500)
    io["args"][0]["tensor_spec"]["init"]["seed"] = 42
    reference = code("def f(x):\n    return 2.5 * x\n", "torch", inputs_io(x=[500]), function_name="f")
    check_accepted(answer(server, reference, code(kernels.SCALE, "cuda", io)))


def test_literal_data_reaches_python(server):
    values = [0.5, -1.25, 3.0, 8.0]
    raw = struct.pack("<4f", *values)
    literal = {"data_b64": base64.b64encode(zlib.compress(raw)).decode(), "dtype": "float32", "shape": [4],
               "compress": "zlib"}
    io = {"args": [tensor("x", [4], data=literal)]}
    constant = f"import torch\n\ndef f(x):\n    return torch.tensor({values}) * 2\n"
    check_accepted(answer(server, code(constant, "torch", io, function_name="f"),
                          code("def f(x):\n    return x + x\n", "torch", io, function_name="f")))


@pytest.mark.parametrize("value", [
    "(x, 2 * x)", "[x, [x + 1, (x,)]]", "{'a': x, 'b': {'c': x * 2}}", "(x, None, 3)", "x.sum().item()",
    "x > 0", "x.argmax()", "x.double()", "x.bfloat16()", "(x[::2], x.t())", "torch.empty(0), x",
    "torch.complex(x, 2 * x)", "{x.sum().item(), 2.5}", "(row for row in x)", "2**63 + 5",
    "(x.to(torch.float8_e4m3fn), x.to(torch.float8_e5m2))"])
def test_answers_are_compared_by_structure(server, value):
    io = inputs_io(x=[6, 4])
    source = f"import torch\n\ndef f(x):\n    return {value}\n"
    check_accepted(answer(server, code(source, "torch", io, function_name="f"),
                          code(source.replace("def f", "def g"), "torch", io, function_name="g")))


@pytest.mark.parametrize("want, got", [
    ("(x, x)", "(x,)"), ("[x, x]", "x"), ("{'a': x}", "{'b': x}"), ("x", "None"), ("(x, None)", "(x, x)"),
    ("(x, 3)", "(x, 4)"), ("x", "x.double()"), ("x", "x[:-1]"), ("x", "x.t()"), ("x > 0", "x >= x"),
    ("x.to(x.dtype.to_complex())", "x"), ("x.to(x.dtype.to_complex())", "(x * 1.5).to(x.dtype.to_complex())"),
    ("{x.sum().item(), 2.5}", "{x.sum().item(), 2.25}"), ("(row for row in x)", "(row * 1.5 for row in x)"),
    ("2**63 + 5", "2**63 + 6"), ("x.float().to(__import__('torch').float8_e5m2)", "(x * 2).to(__import__('torch').float8_e5m2)")])
def test_another_structure_is_a_wrong_answer(server, want, got):
    io = inputs_io(x=[6, 4])
    body = answer(server, code(f"def f(x):\n    return {want}\n", "torch", io, function_name="f"),
                  code(f"def f(x):\n    return {got}\n", "torch", io, function_name="f"))
    assert body["verdict"] == "wrong_answer", body.get("reason")
    assert body["kernel_exec_result"]["validation_error"]


IN_PLACE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x, y):
        x.add_(y)

def get_inputs():
    return [torch.randn(8, 8), torch.randn(8, 8)]
"""


def test_in_place_models_that_return_nothing_are_compared_by_their_inputs(server):
    same = IN_PLACE.replace("Model(", "ModelNew(").replace("x.add_(y)", "x[:] = y + x")
    check_accepted(answer(server, code(IN_PLACE, "torch"), code(same, "torch")))
    other = same.replace("y + x", "y - x")
    body = answer(server, code(IN_PLACE, "torch"), code(other, "torch"))
    assert body["verdict"] == "wrong_answer", body.get("reason")


def test_a_package_that_is_not_there_says_how_to_add_it(server):
    body = answer(server, code(MODEL, "torch"), code("import jax\n" + MODEL, "torch"))
    assert body["verdict"] == "did_not_compile"
    assert "assay setup python --with jax" in json.dumps(body)


CUPY_MODEL = MODEL.replace("import torch\n", "import cupy\nimport torch\n", 1)


def test_a_kernel_may_import_cupy(server):
    check_accepted(answer(server, code(MODEL, "torch"), code(CUPY_MODEL, "torch")))


def test_cupy_on_the_cpu_device_is_told_to_need_a_gpu(server):
    uses = CUPY_MODEL.replace("return torch.relu(x + y)", "return torch.as_tensor(cupy.maximum(cupy.asarray(x), 0))")
    body = answer(server, code(MODEL, "torch"), code(uses, "torch"))
    assert body["verdict"] == "unsupported", body.get("reason")
    assert "line 11: cupy needs a GPU, and the cpu device has none" in body["reason"]


def test_weights_that_do_not_fit_are_told(server):
    reference = """
import torch.nn as nn
import torch

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return self.layer(x)

def get_inputs():
    return [torch.randn(3, 8)]

def get_init_inputs():
    return [8]
"""
    same = reference.replace("class Model(", "class ModelNew(")
    check_accepted(answer(server, code(reference, "torch"), code(same, "torch")))
    other = same.replace("nn.Linear(width, width)", "nn.Linear(width, width + 1)")
    body = answer(server, code(reference, "torch"), code(other, "torch"))
    assert body["verdict"] in ("wrong_answer", "did_not_compile")
    assert body["reason"]


CUDA_STYLE = """
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        assert x.is_cuda and torch.cuda.is_available()
        device = torch.device("cuda")
        stream = torch.cuda.Stream()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with torch.cuda.stream(stream):
            start.record()
            out = torch.zeros(x.shape, device="cuda", dtype=x.dtype)
            out += x.cuda() + y.to("cuda", non_blocking=True)
            out = torch.maximum(out, torch.tensor(0.0, device=device)).to(device)
            end.record()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        assert start.elapsed_time(end) >= 0
        assert out.device.type == x.device.type
        return out
"""


def test_code_written_for_cuda_runs_unchanged(server):
    check_accepted(answer(server, code(MODEL, "torch"), code(CUDA_STYLE, "torch")))


def test_own_kernels_cannot_be_told_without_a_gpu(server):
    asked = {"reference": code(MODEL, "torch"), "candidate": code(MODEL, "torch"), "require": ["own_kernels"]}
    job = server.run(asked)
    assert job["verdict"] == "unsupported"
    assert "only a GPU lists the kernels" in job["result"]["reason"]
    raw = server.run({**kernels.compare(num_trials=5), "require": ["own_kernels"]})
    assert raw["verdict"] == "accepted", raw["result"]
