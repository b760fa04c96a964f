"""CUDA and C++ inside Python sources: what load_inline gives back behaves as torch's own would."""
import pytest

from support import python_kernels

LIMIT = 600  # seconds; the first extension waits for torch's headers to be compiled
REFERENCE = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return 2 * x
def get_inputs():
    return [torch.rand(64)]
def get_init_inputs():
    return []
"""
TWICE = r'''
#include <torch/extension.h>
__global__ void twice_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
torch::Tensor twice(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 1, "twice wants a vector");
  auto y = torch::empty_like(x);
  twice_kernel<<<(x.numel() + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
'''


def judge(server, candidate, kind="torch_cuda", reference=REFERENCE):
    return judged(server, python_kernels.code(reference, "torch"), python_kernels.code(candidate, kind))


def judged(server, reference, candidate, **options):
    job = server.run(python_kernels.compare(reference, candidate, timeout=LIMIT, **options), LIMIT)
    assert job["state"] == "done", job
    return job


def model(setup, forward="return module.twice(x)"):
    return f"""
import torch
from torch.utils.cpp_extension import load_inline
TWICE = r'''{TWICE}'''
{setup}
class ModelNew(torch.nn.Module):
    def forward(self, x):
        {forward}
"""


def test_functions_take_and_give_what_pybind11_lets_them(server):
    """Checked inside the kernel, where a failed assertion is a crash with its line."""
    job = judge(server, model("""
CPP = r'''
#include <optional>
#include <tuple>
torch::Tensor twice(torch::Tensor x);
int64_t sum_of(std::vector<int64_t> values) {
  int64_t sum = 0;
  for (auto value : values) sum += value;
  return sum;
}
double half_of(double x) { return x / 2; }
int8_t small(int8_t x) { return x; }
bool negated(bool x) { return !x; }
std::string greeting(const std::string& name) { return "hello " + name; }
bool is_given(std::optional<torch::Tensor> x) { return x.has_value(); }
std::tuple<torch::Tensor, int> pair_of(const torch::Tensor& x) { return {x, 7}; }
std::vector<torch::Tensor> both(std::vector<torch::Tensor> xs) { return xs; }
void fill(torch::Tensor& x, float value) { x.fill_(value); }
'''
names = ["twice", "sum_of", "half_of", "small", "negated", "greeting", "is_given", "pair_of", "both", "fill"]
module = load_inline(name="many", cpp_sources=CPP, cuda_sources=TWICE, functions=names)

def fails(kind, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except kind as error:
        return str(error)
    raise AssertionError(f"{function.__name__} accepted {args}")

x = torch.ones(3)
assert module.__name__ == "many" and module.twice.__name__ == "twice"
assert module.sum_of([1, 2, 3]) == 6 and module.sum_of((4,)) == 4
assert module.half_of(3) == 1.5 and module.half_of(3.0) == 1.5
assert module.small(-128) == -128 and module.negated(True) is False
assert module.greeting("you") == "hello you"
assert module.is_given(None) is False and module.is_given(x) is True
given = module.pair_of(x)
assert isinstance(given, tuple) and given[0] is x and given[1] == 7
assert [t is x for t in module.both([x, x])] == [True, True]
assert module.fill(x, 2.5) is None and x.tolist() == [2.5] * 3
fails(TypeError, module.small, 128)
fails(TypeError, module.sum_of, [1.5])
fails(TypeError, module.half_of, "x")
fails(TypeError, module.twice)
fails(TypeError, module.twice, x=x)
assert "twice" in fails(TypeError, module.twice, [1.0])
assert "wants a vector" in fails(RuntimeError, module.twice, torch.ones(2, 2))
"""))
    assert job["verdict"] == "accepted", job["result"]


@pytest.mark.parametrize("setup", [
    # A module of the author's own, with overloads: pybind11's words for plain functions.
    """
module = load_inline(name="own", cpp_sources="", cuda_sources=TWICE + '''
static float plus(float x) { return x + 1; }
static std::string joined(const std::string& x) { return x + "!"; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("twice", &twice, "twice");
  m.def("any", &plus).def("any", &joined);
}''')
assert module.any(1) == 2.0 and module.any("x") == "x!" and module.twice.__doc__ == "twice"
""",
    # Classes and named arguments are pybind11's own.
    """
module = load_inline(name="rich", cuda_sources=TWICE, cpp_sources='''
#include <torch/extension.h>
namespace py = pybind11;
torch::Tensor twice(torch::Tensor x);
struct Counter { int count = 0; int next() { return ++count; } };
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("twice", &twice, py::arg("x"));
  py::class_<Counter>(m, "Counter").def(py::init<>()).def("next", &Counter::next);
}''')
counter = module.Counter()
assert [counter.next(), counter.next()] == [1, 2]
""",
    # Names that sources know of.
    """
module = load_inline(name="named_123456", cuda_sources=TWICE, cpp_sources='''
#include <torch/extension.h>
torch::Tensor twice(torch::Tensor x);
PYBIND11_MODULE(named_123456, m) { m.def("twice", &twice); }
''')
load_inline(name="listed_123456", is_python_module=False, cuda_sources=TWICE, cpp_sources='''
#include <torch/extension.h>
torch::Tensor twice(torch::Tensor x);
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) { m.def("twice(Tensor x) -> Tensor", twice); }
''')
assert torch.equal(torch.ops.listed_123456.twice(torch.ones(2).cuda()).cpu(), 2 * torch.ones(2))
""",
    # A helper of the same name in both sources: they are not to be compiled as one.
    """
module = load_inline(name="apart", functions=["twice"], cuda_sources=TWICE + '''
namespace { torch::Tensor helper(torch::Tensor x) { return x; } }
''', cpp_sources='''torch::Tensor twice(torch::Tensor x);
namespace { torch::Tensor helper(torch::Tensor x); }''')
""",
    # The device that a tensor is on has a number.
    """
module = load_inline(name="device", functions=["twice"], cpp_sources="torch::Tensor twice(torch::Tensor x);",
                     cuda_sources=TWICE.replace("auto y", '''
  TORCH_CHECK(x.get_device() == 0 && x.device().index() == 0);
  TORCH_CHECK(cudaSetDevice(x.get_device()) == cudaSuccess);
  auto y'''))
""",
    # Macros from the flags of each side.
    """
module = load_inline(name="flags", functions=["twice"], cuda_sources=TWICE + '''
static_assert(SIDE == 1);''', cpp_sources='''torch::Tensor twice(torch::Tensor x);
static_assert(SIDE == 2);''', extra_cflags=["-DSIDE=2"], extra_cuda_cflags=["-O3", "-DSIDE=1"])
""",
    # Without torch's conversions, pybind11's own headers would take no tensor.
    """
module = load_inline(name="asked", cpp_sources="", cuda_sources='''#include <torch/extension.h>
#include <pybind11/pybind11.h>
''' + TWICE + '''
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice, pybind11::arg("x")); }''')
"""], ids=["own module", "classes", "own names", "same names", "device", "macros", "pybind11"])
def test_whatever_load_inline_accepts_is_built(server, setup):
    job = judge(server, model(setup))
    assert job["verdict"] == "accepted", job["result"]


BUILD = """
def build(source=TWICE, name="late"):
    return load_inline(name, "torch::Tensor twice(torch::Tensor x);", source, functions=["twice"])
"""
IN_FORWARD = model(BUILD, "return build().twice(x)")
OWN_INPUTS = "def get_inputs():\n    return [torch.rand(64)]\n"
WRONG = 'build(TWICE.replace("2 * x[i]", "3 * x[i]"))'
FOR_EVER = "build(name='x' + uuid.uuid4().hex)"


def states_of(job):
    return [phase["state"] for phase in job["phases"]]


def test_a_call_made_only_while_the_kernel_runs_is_built(server):
    """With inputs of its own the source can be tried out before it gets the device."""
    job = judge(server, IN_FORWARD + OWN_INPUTS)
    assert job["verdict"] == "accepted", job["result"]["reason"]
    assert states_of(job).count("building") == 1


@pytest.mark.parametrize("kind", ["torch_cuda", "torch", "triton"])
def test_a_call_reached_only_with_the_references_inputs_is_built(server, kind):
    job = judge(server, IN_FORWARD, kind)
    assert job["verdict"] == "accepted", job["result"]["reason"]
    assert states_of(job)[:6] == ["queued", "building", "waiting", "checking", "building", "waiting"]
    assert "simt" in job["result"]["provenance"]["candidate_compiler"]


def test_a_wrong_kernel_built_while_it_runs_gives_a_wrong_answer(server):
    job = judge(server, IN_FORWARD.replace("build().twice", f"{WRONG}.twice"))
    assert job["verdict"] == "wrong_answer", job["result"]["reason"]


def test_constructors_are_called_with_the_references_arguments_to_learn_what_they_build(server):
    reference = REFERENCE.replace("2 * x", "4 * x").replace("return []", "return [2, 'twice']")
    reference = reference.replace("    def forward", """    def __init__(self, times, function):
        super().__init__()
    def forward""")
    job = judge(server, model(BUILD, """for module in self.modules_built:
            x = getattr(module, self.function)(x)
        return x
    def __init__(self, times, function):
        super().__init__()
        self.function = function
        self.modules_built = [build(name=f"late{i}") for i in range(times)]"""), reference=reference)
    assert job["verdict"] == "accepted", job["result"]["reason"]
    assert states_of(job).count("building") == 2, "both extensions are asked for at once"


def test_one_call_may_lead_to_another(server):
    job = judge(server, model(BUILD, """first = build(name="first").twice(x) / 2
        return build(name="second").twice(first)"""))
    assert job["verdict"] == "accepted", job["result"]["reason"]
    assert states_of(job).count("building") == 3


def test_a_mistake_in_what_is_built_while_it_runs_names_the_authors_line(server):
    broken = 'build(TWICE.replace("empty_like(x)", "empty_alike(x)"))'
    job = judge(server, IN_FORWARD.replace("build().twice", f"{broken}.twice"))
    assert job["verdict"] == "did_not_compile", job["result"]["reason"]
    assert "cuda.cu:9: error: ‘empty_alike’" in job["result"]["reason"]


def test_a_reference_may_build_while_it_runs(server):
    inputs = OWN_INPUTS.replace("64", "33")
    good = python_kernels.code(IN_FORWARD + inputs, "torch_cuda")
    plain = python_kernels.code(REFERENCE, "torch")
    assert judged(server, python_kernels.code(IN_FORWARD + inputs, "torch"), plain)["verdict"] == "accepted"
    assert judged(server, good, plain)["verdict"] == "accepted"
    broken = IN_FORWARD.replace("build().twice", "build('what').twice") + inputs
    job = judged(server, python_kernels.code(broken, "torch"), plain)
    assert job["verdict"] == "reference_failed", job["result"]["reason"]


@pytest.mark.parametrize("name", ["f'twice_{uuid.uuid4().hex}'", "f'twice{time.time_ns()}'"])
def test_a_name_with_a_random_part_does_not_make_it_another_extension(server, name):
    late = IN_FORWARD.replace("build().twice", f"build(name={name}).twice")
    for source in (late, model(BUILD + f"module = build(name={name})\n", "return module.twice(x)")):
        job = judge(server, "import time, uuid\n" + source)
        assert job["verdict"] == "accepted", job["result"]["reason"]


def test_asking_for_something_new_in_every_evaluation_has_an_end(server):
    source = "import uuid\n" + IN_FORWARD.replace("build().twice", f"{FOR_EVER}.twice")
    job = judge(server, source.replace("source=TWICE", "source=TWICE + '// ' + uuid.uuid4().hex"))
    assert job["verdict"] == "unsupported", job["result"]["reason"]
    assert "asks load_inline or load for something new" in job["result"]["reason"]


def test_asking_only_while_it_is_timed_gives_no_second_try(server):
    job = judge(server, model(BUILD + "runs = []\n", """runs.append(x)
        return build().twice(x) if len(runs) > 9 else 2 * x"""))
    assert job["verdict"] == "unsupported", job["result"]["reason"]
    assert "only when the kernel is timed" in job["result"]["reason"]


MULTI_KERNEL = f"""
import torch, triton
import triton.language as tl
from torch.utils.cpp_extension import load_inline
TWICE = r'''{TWICE}'''
@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)
SETUP
def run(x, factor):
    y = module().twice(x) * factor
    add_one[(triton.cdiv(y.numel(), 64),)](y, y.numel(), BLOCK=64)
    return torch.relu(y)
"""
AT_LOAD = 'built = load_inline("mk", "torch::Tensor twice(torch::Tensor x);", TWICE, functions=["twice"])\n'
CONTRACT = {"args": [
    {"name": "x", "type": "tensor", "tensor_spec": {"shape": [100], "dtype": "float32",
                                                    "init": {"kind": "randn", "seed": 1}}, "role": "input"},
    {"name": "factor", "type": "float", "value": 1.5}]}


@pytest.mark.parametrize("setup", [
    AT_LOAD + "module = lambda: built",
    "def module():\n    " + AT_LOAD + "    return built",
], ids=["at load", "when called"])
@pytest.mark.parametrize("verdict, edit", [("accepted", ""), ("wrong_answer", "3 * x[i]")])
def test_an_entry_point_mixes_embedded_cuda_with_other_kernels(server, setup, verdict, edit):
    source = MULTI_KERNEL.replace("SETUP", setup).replace("2 * x[i]", edit or "2 * x[i]")
    reference = python_kernels.code("import torch\ndef f(x, factor):\n    return torch.relu(2 * x * factor + 1)\n",
                                    "torch", CONTRACT, function_name="f")
    job = judged(server, reference, python_kernels.code(source, "multi_kernel", CONTRACT, entry_point="run"))
    assert job["verdict"] == verdict, job["result"]["reason"]


def test_an_extension_that_is_asked_for_at_every_call_is_loaded_once(server):
    source = MULTI_KERNEL.replace("SETUP", "def module():\n    " + AT_LOAD + "    return built")
    kernel = python_kernels.code(source, "multi_kernel", CONTRACT, entry_point="run")
    job = judged(server, kernel, kernel, num_trials=300)
    assert job["verdict"] == "accepted", job["result"]["reason"]


def test_a_compiler_error_names_the_authors_line(server):
    job = judge(server, model("""
module = load_inline(name="broken", functions=["twice"], cpp_sources="torch::Tensor twice(torch::Tensor x);",
                     cuda_sources=TWICE.replace("empty_like(x)", "empty_alike(x)"))
"""))
    assert job["verdict"] == "did_not_compile"
    reason = job["result"]["reason"]
    assert reason.startswith("cuda.cu:9: error: ‘empty_alike’ is not a member of ‘torch’"), reason
    assert "    9 |   auto y = torch::empty_alike(x);" in reason
    errors = [line for line in reason.splitlines() if "error:" in line]
    assert all(line.startswith("cuda.cu:") for line in errors) and len(set(errors)) == len(errors), reason


def test_a_function_that_is_nowhere_defined_is_named(server):
    job = judge(server, model("""
module = load_inline(name="half", functions=["twice"], cuda_sources=TWICE,
                     cpp_sources="torch::Tensor twice(torch::Tensor x, float by);")
"""))
    assert job["verdict"] == "did_not_compile"
    reason = job["result"]["reason"]
    assert "extension 'half': undefined symbol: twice(at::Tensor, float)" in reason, reason
    assert "/proc" not in reason


def test_headers_that_the_author_wrote_are_included(server):
    job = judge(server, model("""
import pathlib, tempfile
from torch.utils.cpp_extension import load
place = pathlib.Path(tempfile.mkdtemp())
(place / "inner").mkdir()
(place / "factor.cuh").write_text('#pragma once\\n#include "deeper.h"\\n')
(place / "inner" / "deeper.h").write_text("#ifndef DEEPER\\n#define DEEPER\\nconstexpr float kFactor = 2;\\n#endif\\n")
(place / "twice.cu").write_text('#include "factor.cuh"\\n#include <deeper.h>\\n#include "factor.cuh"\\n'
    + TWICE.replace("2 * x[i]", "kFactor * x[i]")
    + 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice); }')
module = load("headers", [str(place / "twice.cu")], extra_include_paths=[str(place / "inner")])
"""))
    assert job["verdict"] == "accepted", job["result"]["reason"]


def test_a_kernel_bound_to_python_is_told(server):
    source = """
import torch
from torch.utils.cpp_extension import load_inline
module = load_inline(name="bound", cpp_sources="", functions=["twice"],
                     cuda_sources="__global__ void twice(float* x) { x[threadIdx.x] *= 2; }")
class ModelNew(torch.nn.Module):
    def forward(self, x):
        module.twice(x)
        return x
def get_inputs():
    return [torch.randn(4)]
"""
    job = server.run({"kernel": {"source_code": source, "kernel_type": "torch_cuda"}, "num_trials": 1})
    assert job["verdict"] == "did_not_compile", job
    assert "'twice' is a __global__ function: Python cannot call it" in job["result"]["reason"]


def test_more_sources_than_a_request_may_have_are_refused(server):
    job = judge(server, model("""
module = load_inline(name="long", cpp_sources="torch::Tensor twice(torch::Tensor x);", functions=["twice"],
                     cuda_sources=TWICE + "//" + "x" * (1 << 20))
"""))
    assert job["verdict"] == "did_not_compile", job["result"]["reason"]
    assert "the source is larger than 1048576 bytes" in job["result"]["reason"]


def test_an_extension_that_would_fill_the_disk_does_not_compile(server):
    job = judge(server, model("""
module = load_inline(name="huge", cpp_sources="torch::Tensor twice(torch::Tensor x);", functions=["twice"],
                     cuda_sources=TWICE + "char huge[300 << 20] = {1};")
"""))
    assert job["verdict"] == "did_not_compile", job["result"]["reason"]
    assert "File size limit exceeded" in job["result"]["reason"], job["result"]["reason"]
