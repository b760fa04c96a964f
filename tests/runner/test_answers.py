"""What a kernel may return, and what happens to objects that only look like an answer."""

import pytest

HEAD = """
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
"""
LAZY_FUNCTION = """
class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func(*[2 * a.as_subclass(torch.Tensor) if isinstance(a, Lazy) else a for a in args])
"""
LAZY_DISPATCH = """
from torch.utils._python_dispatch import return_and_correct_aliasing

class Lazy(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
    def __init__(self, inner):
        self.inner = inner
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return func(*[2 * a.inner if isinstance(a, Lazy) else a for a in args], **(kwargs or {}))
"""
OBJECT = """
class Lazy:
    def __init__(self, x):
        self.x = x
    @property
    def __class__(self):
        return torch.Tensor
    def __getattr__(self, name):
        return getattr(2 * self.x, name)
"""


def refused(child, arena, body, before=""):
    child.loaded(before + HEAD + "        " + body, role="candidate")
    assert arena.give(child, "inputs", arena.put([1.0, 2.0])) == {"reply": "done"}
    return child.verdict({"op": "run"})


def ran(child, arena, body, before="", **request):
    child.loaded(before + HEAD + "        " + body, **{"role": "candidate", **request})
    assert arena.give(child, "inputs", arena.put([1.0, 2.0])) == {"reply": "done"}
    reply = child.call({"op": "run"})
    assert reply["reply"] == "produced", reply
    return reply["value"]


@pytest.mark.parametrize("kind, body", [
    (LAZY_FUNCTION, "return x.as_subclass(Lazy)"),
    (LAZY_DISPATCH, "return Lazy(x)"),
    (LAZY_FUNCTION, "return [torch.ones(2), {'y': x.as_subclass(Lazy)}]"),
], ids=["function", "dispatch", "inside"])  # fmt: skip
def test_a_tensor_that_computes_when_it_is_read_is_tampering_told_by_name(child, arena, kind, body):
    verdict, details = refused(child, arena, body, "import torch\n" + kind)
    assert (verdict, details["rule"]) == ("tampered", "returned_object")
    assert "kernel.Lazy" in details["summary"]


def test_an_object_in_the_place_of_a_tensor_is_a_wrong_answer_told_by_name(child, arena):
    verdict, details = refused(child, arena, "return Lazy(x)", "import torch\n" + OBJECT)
    assert verdict == "wrong_answer"
    assert "kernel.Lazy" in details["summary"]


@pytest.mark.parametrize("name", ["detach", "double", "to", "cpu", "__array__"])
def test_a_method_of_one_tensor_alone_is_tampering(child, arena, name):
    body = f"y = torch.zeros(2); setattr(y, '{name}', lambda *a, **k: 2 * x); return y"
    verdict, details = refused(child, arena, body)
    assert (verdict, details["rule"]) == ("tampered", "returned_object")
    assert f"'{name}'" in details["summary"]


def test_an_attribute_that_replaces_nothing_is_nobodys_business(child, arena):
    tree = ran(child, arena, "y = 2 * x; y.note = 'scaled'; return y")
    assert arena.collect(child, "outputs", tree) == [[2.0, 4.0]]


@pytest.mark.parametrize("patch, told", [
    ("torch.Tensor.detach = lambda self: self * 2", "torch.Tensor.detach"),
    ("torch.Tensor.copy_ = lambda self, other: self", "torch.Tensor.copy_"),
    ("torch.cuda.synchronize = lambda *a: None", "torch.cuda.synchronize"),
    ("import time; time.perf_counter_ns = lambda: 0", "time.perf_counter_ns"),
    ("import assay_runner.trees as t; t.encode = lambda *a, **k: None", "assay_runner.trees.encode"),
    ("import assay_runner.trees as t; t.encode.__code__ = (lambda v, k=0: v).__code__",
     "assay_runner.trees.encode"),
], ids=["detach", "copy", "synchronize", "clock", "ours", "code"])  # fmt: skip
def test_replacing_what_reads_answers_is_tampering(child, patch, told):
    reply = child.load("import torch\n" + patch + HEAD + "        return 2 * x", role="candidate")
    verdict, details = child.verdict_in(reply)
    assert (verdict, details["rule"]) == ("tampered", "patched")
    assert told in details["summary"]


@pytest.mark.parametrize("patch, told", [
    ("torch.default_generator = object()", "torch.default_generator"),
    ("import gc; gc.collect = lambda *a: 0", "gc.collect"),
    ("import json; _d = json.dumps; json.dumps = lambda *a, **k: _d(*a, **k)", "json.dumps"),
    ("import json; _e = json.JSONEncoder.encode; json.JSONEncoder.encode = lambda self, o: _e(self, o)",
     "json.JSONEncoder.encode"),
    ("import socket; socket.socket.send = lambda *a: 0", "socket.socket.send"),
    ("_l = torch.library.Library('aten', 'IMPL'); _l.impl('clone', lambda s, memory_format=None: s, 'CPU')",
     "torch.library"),
    ("_l = torch.library.Library('aten', 'IMPL'); _l.impl('copy_', lambda s, o, n=False: s, 'AutogradCPU')",
     "torch.library"),
], ids=["seeds", "collector", "json", "encoder", "socket", "clone", "copy"])  # fmt: skip
def test_replacing_what_speaks_for_the_runner_is_tampering(child, patch, told):
    reply = child.load("import torch\n" + patch + HEAD + "        return 2 * x", role="candidate")
    verdict, details = child.verdict_in(reply)
    assert (verdict, details["rule"]) == ("tampered", "patched"), details
    assert told in details["summary"]


def test_operators_of_its_own_are_nobodys_business(child, arena):
    before = """
import torch

@torch.library.custom_op("own::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return 2 * x
"""
    assert arena.collect(child, "outputs", ran(child, arena, "return twice(x)", before)) == [[2.0, 4.0]]


@pytest.mark.parametrize("body", [
    "return torch.empty(2, device='meta')", "return (2 * x).to_sparse()", "return [(2 * x).to_sparse()]",
    "return {'y': torch.quantize_per_tensor(2 * x, 0.1, 0, torch.quint8)}", "return torch.nested.nested_tensor([x, x])",
], ids=["meta", "sparse", "inside", "quantized", "nested"])  # fmt: skip
def test_a_tensor_without_elements_of_its_own_is_a_wrong_answer(child, arena, body):
    verdict, details = refused(child, arena, body)
    assert (verdict, details["rule"]) == ("wrong_answer", "returned_object")
    assert "sparse, quantized, nested or without data" in details["summary"]


def test_a_tensor_that_left_a_transformed_function_is_a_wrong_answer(child, arena):
    body = "kept = []; torch.vmap(lambda part: kept.append(part) or part)(x.view(1, 2)); return kept[0]"
    verdict, details = refused(child, arena, body)
    assert verdict == "wrong_answer"
    assert "torch.func" in details["summary"]


def test_a_mode_left_behind_is_tampering(child, arena):
    mode = """
import torch
from torch.utils._python_dispatch import TorchDispatchMode
class Late(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
"""
    verdict, details = refused(child, arena, "Late().__enter__(); return 2 * x", mode)
    assert (verdict, details["rule"]) == ("tampered", "patched")


@pytest.mark.parametrize("body, values", [
    ("return torch.nn.Parameter(2 * x)", [[2.0, 4.0]]),
    ("return (2 * x for _ in range(2))", [[2.0, 4.0], [2.0, 4.0]]),
    ("import collections; return collections.namedtuple('Pair', 'a b')(x, 2 * x)",
     [[1.0, 2.0], [2.0, 4.0]]),
    ("import collections; return collections.OrderedDict(y=2 * x)", [[2.0, 4.0]]),
    ("return torch.complex(x, 2 * x)", [[1.0, 2.0, 2.0, 4.0]]),
    ("return torch.complex(x, 2 * x).conj()", [[1.0, -2.0, 2.0, -4.0]]),
], ids=["parameter", "generator", "namedtuple", "mapping", "complex", "conjugate"])  # fmt: skip
def test_what_torch_users_return_is_compared(child, arena, body, values):
    assert arena.collect(child, "outputs", ran(child, arena, body)) == values


def test_a_set_and_wide_integers_are_compared(child, arena):
    tree = ran(child, arena, "return {3, 1, 2}, 2**64 - 1")
    assert tree["items"][0] == {"k": "list", "items": [{"k": "int", "v": n} for n in (1, 2, 3)]}
    assert tree["items"][1]["dtype"] == "uint64"
    wide = ran(child, arena, "import numpy; return numpy.uint64(2**64 - 1)")
    assert wide["dtype"] == "uint64"


def test_an_array_of_numpy_is_told_from_a_tensor(child, arena):
    tree = ran(child, arena, "return x.sum().numpy(), torch.complex(x, x).numpy()")
    assert tree["items"][0] == {"k": "tensor", "shape": [], "dtype": "float32", "is_array": True}
    assert tree["items"][1]["items"][0]["is_array"] is True


def test_an_array_of_objects_holds_no_answer(child, arena):
    verdict, details = refused(child, arena, "import numpy; return numpy.array([x, None], dtype=object)")
    assert verdict == "wrong_answer"
    assert "numpy.ndarray" in details["summary"]


def test_a_set_of_numbers_is_compared_in_their_order(child, arena):
    tree = ran(child, arena, "return {10.5, -3.0, 9}")
    assert [item["v"] for item in tree["items"]] == ["-3.0", 9, "10.5"]


def test_compiling_and_a_default_device_replace_nothing(child, arena):
    before = "import torch\ntorch.set_default_device('cpu')\n"
    body = "return torch.compile(lambda t: 2 * t, backend='eager')(x)"
    assert arena.collect(child, "outputs", ran(child, arena, body, before)) == [[2.0, 4.0]]


def test_the_reference_may_return_a_tensor_of_its_own(child, arena):
    tree = ran(child, arena, "return (2 * x).as_subclass(Own)",
               "import torch\nclass Own(torch.Tensor): pass\n", role="reference")
    assert arena.collect(child, "outputs", tree) == [[2.0, 4.0]]


def test_complex_inputs_come_as_they_were_made(child, arena):
    child.loaded("import torch\ndef get_inputs(): return [torch.tensor([1 + 2j])]\n"
                 "def f(z): return z.imag")
    tree = child.call({"op": "produce", "what": "inputs", "seed": 1})["value"]
    (values,) = arena.collect(child, "inputs", tree)
    part = arena.put(values, shape=[1, 2])
    given = {"k": "dict", "keys": tree["items"][0]["keys"], "items": [part]}
    assert arena.give(child, "inputs", given) == {"reply": "done"}
    reply = child.call({"op": "run"})
    assert arena.collect(child, "outputs", reply["value"]) == [[2.0]]


def test_an_answer_is_added_up_when_its_time_has_been_taken(child, arena):
    child.loaded("import torch\ndef f(x): return [x.to(torch.int64), x.to(torch.uint8)[:3], x.new_zeros(3, 2).t()]")
    arena.give(child, "inputs", arena.put([1, 2, 3, 250]))
    timed = child.call({"op": "time", "samples": 2})
    assert timed["fingerprint"] == 1 + 2 + 3 + 250 + 1 + 2 + 3


def test_an_expanded_answer_is_written_out_within_its_time(child, arena):
    child.loaded("import torch\ndef f(x): return x[:1].expand(3)")
    arena.give(child, "inputs", arena.put([7, 2, 3]))
    reply = child.call({"op": "run"})
    assert "is_input" not in reply["value"]
    assert arena.collect(child, "outputs", reply["value"]) == [[7, 7, 7]]


@pytest.mark.parametrize("role", ["reference", "candidate"])
def test_both_kernels_write_out_what_is_expanded_inside_an_answer(child, arena, role):
    child.loaded("import torch\ndef f(x): return x[:1].expand(3), x + 1", role=role)
    arena.give(child, "inputs", arena.put([7, 2, 3]))
    reply = child.call({"op": "run"})
    assert "is_input" not in reply["value"]["items"][0]
    assert arena.collect(child, "outputs", reply["value"]) == [[7, 7, 7], [8, 3, 4]]


def test_rows_that_lie_over_one_another_are_written_out_within_their_time(child, arena):
    child.loaded("import torch\ndef f(x): return x.as_strided((2, 2), (1, 1))")
    arena.give(child, "inputs", arena.put([7, 2, 3]))
    reply = child.call({"op": "run"})
    assert "is_input" not in reply["value"]
    assert arena.collect(child, "outputs", reply["value"]) == [[7, 2, 2, 3]]


def test_memory_of_the_inputs_file_is_an_inputs_memory_wherever_it_is_mapped(child, arena):
    child.loaded("""
import ctypes, torch
remap = ctypes.CDLL(None).mremap
remap.restype, remap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
def f(x):
    other = remap(x.data_ptr() & ~4095, 0, 4096, 1)
    memory = (ctypes.c_float * x.numel()).from_address(other + x.data_ptr() % 4096)
    return torch.frombuffer(memory, dtype=torch.float32)
""")
    arena.give(child, "inputs", arena.put([7, 2, 3]))
    assert child.call({"op": "run"})["value"]["is_input"] is True
