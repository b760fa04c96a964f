"""Triton kernels in its interpreter."""

import pytest

ADD = """
import triton
import triton.language as tl

@triton.jit
def helper(x):
    return x * 2

{decorators}
@triton.jit
def add(a, b, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, helper(tl.load(a + at, mask=inside)) + tl.load(b + at, mask=inside), inside)
"""
ARGS = [
    {"name": name, "meta": name == "BLOCK"} for name in ("a", "b", "out", "n", "BLOCK")
]
COUNT = 100


def launch(child, arena, args=ARGS, decorators="", block=32, **launch):
    child.loaded(ADD.format(decorators=decorators), "triton", args=args, launch=launch)
    a, b = arena.put(range(COUNT)), arena.put([1] * COUNT)
    out = arena.put([-1] * COUNT)
    values = {"a": a, "b": b, "out": out, "n": {"k": "int", "v": COUNT},
              "BLOCK": {"k": "int", "v": block}}  # fmt: skip
    arena.give(child, "inputs", *(values[arg["name"]] for arg in args))
    reply = child.call({"op": "run"})
    assert reply == {"reply": "produced", "value": {"k": "none"}}, reply
    return arena.get(out)


RIGHT = [2 * i + 1 for i in range(COUNT)]


def test_a_bare_kernel_runs_over_the_grid_of_its_contract(child, arena):
    assert launch(child, arena, grid=[4, 1, 1]) == RIGHT


def test_a_grid_that_is_too_small_leaves_the_rest(child, arena):
    assert launch(child, arena, grid=[1, 1, 1]) == RIGHT[:32] + [-1] * 68


def test_a_grid_can_be_an_expression_over_the_arguments(child, arena):
    assert launch(child, arena, grid_expr=["cdiv(n, BLOCK)", "1"]) == RIGHT


def test_a_grid_can_ask_the_tensors(child, arena):
    assert launch(child, arena, grid_expr="(triton.cdiv(a.numel(), BLOCK),)") == RIGHT


def test_meta_arguments_may_stand_anywhere(child, arena):
    order = [ARGS[i] for i in (4, 0, 1, 2, 3)]
    assert launch(child, arena, args=order, grid=[4, 1, 1]) == RIGHT


def test_warps_and_stages_are_passed(child, arena):
    assert launch(child, arena, grid=[4, 1, 1], num_warps=8, num_stages=2) == RIGHT


def test_an_autotuned_kernel_uses_its_own_configuration(child, arena):
    tune = (
        "@triton.autotune(configs=[triton.Config({'BLOCK': 16}, num_warps=2), "
        "triton.Config({'BLOCK': 64})], key=['n'])"
    )
    grid = ["cdiv(n, BLOCK)"]
    assert launch(child, arena, decorators=tune, block=1, grid_expr=grid, num_warps=4) == RIGHT


def test_an_autotuned_kernel_needs_no_value_for_what_is_tuned(child, arena):
    tune = "@triton.autotune(configs=[triton.Config({'BLOCK': 128})], key=[])"
    assert launch(child, arena, args=ARGS[:4], decorators=tune, grid=[1, 1, 1]) == RIGHT


def test_heuristics_give_meta_arguments(child, arena):
    decide = "@triton.heuristics({'BLOCK': lambda args: triton.next_power_of_2(args['n'])})"
    assert launch(child, arena, args=ARGS[:4], decorators=decide, grid=[1, 1, 1]) == RIGHT


def test_a_model_launches_its_own_kernels(child, arena):
    child.loaded(
        ADD.format(decorators="")
        + "import torch\n"
        + "class ModelNew(torch.nn.Module):\n"
        + "  def forward(self, a, b):\n"
        + "    assert a.is_cuda\n"
        + "    out = torch.empty_like(a)\n"
        + "    grid = lambda meta: (triton.cdiv(a.numel(), meta['BLOCK']),)\n"
        + "    add[grid](a, b, out, a.numel(), BLOCK=64)\n"
        + "    return out\n",
        "triton",
    )
    arena.give(child, "inputs", arena.put(range(COUNT)), arena.put([1] * COUNT))
    reply = child.call({"op": "run"})
    assert arena.collect(child, "outputs", reply["value"]) == [RIGHT]


def test_a_mistake_in_a_kernel_does_not_compile(child, arena):
    source = ADD.format(decorators="").replace("tl.load(a", "tl.lode(a")
    child.loaded(source, "triton", args=ARGS, launch={"grid": [4, 1, 1]})
    tensors = [arena.put([0] * COUNT) for _ in range(3)]
    number = {"k": "int", "v": 32}
    arena.give(child, "inputs", *tensors, number, number)
    name, details = child.verdict({"op": "run"})
    assert name == "did_not_compile"
    assert "has no attribute 'lode'" in details["log"]
    assert 'File "kernel.py"' in details["log"]


def test_an_unknown_kernel_does_not_compile_and_the_others_are_listed(child):
    name, details = child.verdict_in(
        child.load(ADD.format(decorators=""), "triton", metadata={"kernel_name": "mul"}, args=ARGS)
    )
    assert name == "did_not_compile"
    assert details["log"] == "kernel 'mul' not found; available: helper, add"


def test_a_grid_that_cannot_be_evaluated_does_not_compile(child, arena):
    child.loaded(ADD.format(decorators=""), "triton", args=ARGS, launch={"grid_expr": ["m / 0"]})
    tensors = [arena.put([0] * COUNT) for _ in range(3)]
    number = {"k": "int", "v": 32}
    arena.give(child, "inputs", *tensors, number, number)
    name, details = child.verdict({"op": "run"})
    assert name == "did_not_compile"
    assert "the grid 'm / 0' cannot be evaluated: NameError" in details["log"]


def test_an_argument_without_a_parameter_does_not_compile(child):
    args = [*ARGS, {"name": "extra", "meta": False}]
    name, details = child.verdict_in(
        child.load(ADD.format(decorators=""), "triton", metadata={"kernel_name": "add"}, args=args)
    )
    assert name == "did_not_compile"
    assert "no parameter for argument 'extra'" in details["log"]


def test_a_parameter_without_an_argument_does_not_compile(child):
    name, details = child.verdict_in(
        child.load(ADD.format(decorators=""), "triton", args=ARGS[:4], launch={"grid": [4, 1, 1]})
    )
    assert name == "did_not_compile"
    assert "no argument for parameter 'BLOCK'" in details["log"]
    assert "it takes: a, b, out, n, BLOCK" in details["log"]


def test_a_parameter_with_a_default_needs_no_argument(child, arena):
    source = ADD.format(decorators="").replace("constexpr)", "constexpr = 128)")
    child.loaded(source, "triton", args=ARGS[:4], launch={"grid": [1, 1, 1]})
    a, b, out = arena.put(range(COUNT)), arena.put([1] * COUNT), arena.put([-1] * COUNT)
    arena.give(child, "inputs", a, b, out, {"k": "int", "v": COUNT})
    assert child.call({"op": "run"})["reply"] == "produced"
    assert arena.get(out) == RIGHT


def test_an_option_of_the_launch_may_be_a_parameter_too(child, arena):
    source = ADD.format(decorators="").replace("constexpr)", "constexpr, num_warps: tl.constexpr)")
    child.loaded(source, "triton", args=ARGS, launch={"grid": [4, 1, 1], "num_warps": 8})


WORDS = """
import torch
import triton
import triton.language as tl
from triton.language import core

@triton.jit
def largest(x):
    return tl.max(x, axis=0)

@triton.jit
def shifted(x, by):
    return core.where(x > by, x - by, 0.0)

@triton.jit
def kernel(x, y, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at)
    for _ in tl.static_range(2):
        values = shifted(values, largest(values) - 2)
    tl.store(y + at, values)

class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        for _ in range(2):
            kernel[(1,)](x, y, BLOCK=8)
        return y
"""


def test_functions_that_kernels_call_have_the_words_of_the_language_too(child, arena):
    child.loaded(WORDS, "triton")
    arena.give(child, "init_inputs")
    arena.give(child, "inputs", arena.put(range(8)))
    for _ in range(2):
        reply = child.call({"op": "run"})
        assert arena.collect(child, "outputs", reply["value"]) == [[0] * 6 + [1, 2]]


def test_a_module_without_the_language_is_told_so(child, arena):
    source = WORDS.replace("import triton.language as tl", "").replace(
        "from triton.language import core", "tl = __import__('types').SimpleNamespace(constexpr=int)")
    child.loaded(source, "triton")
    arena.give(child, "init_inputs")
    arena.give(child, "inputs", arena.put(range(8)))
    verdict, details = child.verdict({"op": "run"})
    assert "triton.language must be visible" in str(details), (verdict, details)


ASSERTIONS = {
    "of types": ("tl.dot(v.to(tl.float16), v)", "did_not_compile"),
    "static": ("tl.static_assert(BLOCK == 1)", "did_not_compile"),
    "of values": ("check(v)", "crashed"),
}


@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions_of_triton_are_mistakes_and_those_of_a_kernel_are_crashes(child, arena, name):
    statement, expected = ASSERTIONS[name]
    child.loaded(
        "import torch, triton, triton.language as tl\n"
        "@triton.jit\n"
        "def check(v):\n"
        "  assert tl.max(tl.max(v, 0), 0) > 1000, 'too small'\n"
        "@triton.jit\n"
        "def kernel(x, BLOCK: tl.constexpr):\n"
        "  v = tl.load(x + tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])\n"
        f"  {statement}\n"
        "def f(x):\n"
        "  kernel[(1,)](x, BLOCK=16)\n",
        "triton",
        metadata={"function_name": "f"},
    )
    arena.give(child, "inputs", arena.put(range(256)))
    assert child.verdict({"op": "run"})[0] == expected
