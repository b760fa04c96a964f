"""What a source that fails is told."""

import pytest


def test_a_syntax_error_is_shown_at_its_line(child):
    name, details = child.verdict_in(child.load("x = 1\ndef f(:\n  pass\n"))
    assert name == "did_not_compile"
    assert details["log"].startswith('  File "kernel.py", line 2\n    def f(:\n')


def test_a_failing_import_is_shown_with_the_authors_frames_alone(child):
    source = "def load():\n  import nothing_of_this_name\n\nload()\n"
    name, details = child.verdict_in(child.load(source))
    assert name == "did_not_compile"
    lines = details["log"].splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == '  File "kernel.py", line 4, in <module>'
    assert "assay_runner" not in details["log"]
    assert lines[-1] == ("This Python has no 'nothing_of_this_name'. Where kernels run, this adds it: "
                         "assay setup python --with nothing_of_this_name")


def test_an_extension_without_functions_is_told_how_to_name_them(child):
    source = "raise ImportError('dynamic module does not define module export function (PyInit_a)')\n"
    name, details = child.verdict_in(child.load(source))
    assert name == "did_not_compile"
    assert details["log"].splitlines()[-1] == (
        "The extension gives Python no function: name them with functions=[...] of load_inline, "
        "or write a PYBIND11_MODULE")


def test_inputs_without_a_return_are_told_so(child):
    child.loaded("def get_inputs():\n  [1]\n\ndef load(x):\n  return x\n", metadata={"function_name": "load"})
    name, details = child.verdict({"op": "produce", "what": "inputs", "seed": 1})
    assert name == "crashed"
    assert details["summary"] == ("TypeError: get_inputs() returned None: end it with `return [...]`, "
                                  "a list of arguments")


def test_an_exception_in_a_run_is_a_crash_with_a_traceback_free_of_server_paths(child, arena):
    child.loaded(
        "import torch\n"
        "class Model(torch.nn.Module):\n"
        "  def forward(self, x):\n"
        "    return torch.nn.Linear(5, 5)(x)\n"
    )
    arena.give(child, "init_inputs")
    arena.give(child, "inputs", arena.put([1, 2, 3]))
    name, details = child.verdict({"op": "run"})
    assert name == "crashed"
    assert details["summary"].startswith("RuntimeError: mat1 and mat2")
    lines = details["output"].splitlines()
    assert lines[1] == '  File "kernel.py", line 4, in forward'
    assert 'File "torch/nn/modules/linear.py"' in details["output"]
    assert "site-packages" not in details["output"]


def test_a_constructor_that_fails_does_not_compile(child, arena):
    child.loaded("class Model:\n  def __init__(self, n): pass\n  def forward(self): pass")
    name, details = child.verdict_in(arena.give(child, "init_inputs"))
    assert name == "did_not_compile"
    assert "missing 1 required positional argument: 'n'" in details["log"]


@pytest.mark.parametrize(
    "statement",
    ["torch.zeros(1 << 31)", "bytearray(1 << 33)", "[bytearray(1 << 28) for _ in range(100)]"],
)
def test_an_allocation_beyond_the_limit_is_out_of_memory(child, arena, statement):
    child.loaded(f"import torch\ndef f(): return {statement}")
    arena.give(child, "inputs")
    assert child.verdict({"op": "run"})[0] == "out_of_memory"


def test_memory_within_the_limit_can_be_used(child, arena):
    child.loaded("import torch\ndef f(): return torch.ones(100 << 20, dtype=torch.uint8).sum()")
    arena.give(child, "inputs")
    assert child.call({"op": "run"})["reply"] == "produced"


def test_a_kernel_that_asks_to_exit_has_crashed(child, arena):
    child.loaded("import sys\ndef f(): sys.exit(3)")
    arena.give(child, "inputs")
    name, details = child.verdict({"op": "run"})
    assert name == "crashed"
    assert "exit (3)" in details["summary"]


def test_what_is_printed_goes_to_the_output_file(child):
    child.loaded("import sys\nprint('out')\nprint('err', file=sys.stderr)\ndef f(): pass")
    assert child.printed() == "out\nerr\n"


def test_printing_without_end_is_no_failure(fork, arena):
    child = fork(file_bytes=1 << 16)
    child.loaded("def f():\n  for _ in range(10000): print('x' * 99)\n  return 1")
    arena.give(child, "inputs")
    assert child.call({"op": "run"})["value"] == {"k": "int", "v": 1}
    assert len(child.printed()) == 1 << 16


def test_closing_the_standard_streams_hurts_nobody_else(child, arena):
    child.loaded("import sys\nsys.stdout.close(); sys.stderr = None\ndef f(): return 1")
    arena.give(child, "inputs")
    assert child.call({"op": "run"})["value"] == {"k": "int", "v": 1}


LOAD_INLINE = """
from torch.utils.cpp_extension import load_inline
ops = load_inline(name='ops', cpp_sources='int f();', cuda_sources=['int f() { return 1; }'],
                  functions=['f'], extra_cuda_cflags=['-O3'], verbose=False)
def kernel(): return ops.f()
"""


def test_the_extensions_a_source_wants_are_discovered(child):
    reply = child.call({"op": "discover", "source": LOAD_INLINE})
    (call,) = reply["calls"]
    assert call["name"] == "ops"
    assert [source["cuda"] for source in call["sources"]] == [False, True]
    assert "int f() { return 1; }" in call["sources"][1]["text"]
    assert "-O3" in call["cuda_cflags"]


LATE = """
import torch
from torch.utils.cpp_extension import load_inline
def build():
    return load_inline(name='late', cpp_sources='int f() {{ return 1; }}', functions=['f'])
class ModelNew(torch.nn.Module):
    def __init__(self, size{default}):
        super().__init__()
        self.ops = {made}
    def forward(self, x):
        return (self.ops or build()).f() * x
"""
PROVIDERS = """
def get_init_inputs(): return [3]
def get_inputs(): return [torch.rand(3)]
"""


@pytest.mark.parametrize("source", [
    LATE.format(default="=1", made="build()"),
    LATE.format(default="", made="build()") + PROVIDERS,
    LATE.format(default="", made="None") + PROVIDERS,
])
def test_extensions_asked_for_only_while_the_kernel_runs_are_discovered(child, source):
    reply = child.call({"op": "discover", "type": "torch_cuda", "source": source, "metadata": {}})
    assert [call["name"] for call in reply["calls"]] == ["late"]


def test_a_source_that_cannot_be_tried_out_alone_asks_for_nothing(child):
    source = LATE.format(default="", made="build()")
    reply = child.call({"op": "discover", "type": "torch_cuda", "source": source, "metadata": {}})
    assert reply == {"reply": "discovered", "calls": []}


@pytest.mark.parametrize("kind", ["torch", "torch_cuda", "triton"])
def test_an_extension_that_is_not_built_is_asked_for(child, kind):
    reply = child.load(LOAD_INLINE, kind)
    assert reply["reply"] == "build_needed"
    (call,) = reply["calls"]
    assert call["name"] == "ops" and len(call["key"]) == 64


def test_an_extension_is_asked_for_by_an_entry_point(child, arena):
    source = LOAD_INLINE.replace("ops = ", "def build(): return ").replace("ops.f()", "build().f()")
    child.loaded(source, "multi_kernel", metadata={"entry_point": "kernel"})
    arena.give(child, "inputs")
    reply = child.call({"op": "run"})
    assert [call["name"] for call in reply["calls"]] == ["ops"]


def test_all_that_a_constructor_wants_is_asked_for_at_once(child, arena):
    child.loaded("""
import torch
from torch.utils.cpp_extension import load_inline
class ModelNew(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.ops = [load_inline(name=f"ops{i % 2}", cpp_sources="int f();") for i in range(4)]
""", "torch_cuda")
    reply = arena.give(child, "init_inputs", {"k": "int", "v": 3})
    assert [call["name"] for call in reply["calls"]] == ["ops0", "ops1"]


@pytest.mark.parametrize("use", ["try: ops.f()\n    except BaseException: pass", "ops.f + 1", "1 / 0"])
def test_an_extension_is_asked_for_whatever_came_of_the_run_without_it(child, arena, use):
    child.loaded(f"""
from torch.utils.cpp_extension import load_inline
def kernel():
    ops = load_inline(name="ops", cpp_sources="int f();")
    {use}
""", "torch_cuda")
    arena.give(child, "inputs")
    assert child.call({"op": "run"})["reply"] == "build_needed"


def test_a_reason_that_is_no_text_arrives_all_the_same(child):
    name, details = child.verdict_in(child.load("raise ValueError('half \\ud800 a pair')\n"))
    assert name == "did_not_compile"
    assert "ValueError: half ? a pair" in details["log"]
