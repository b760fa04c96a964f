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


def judge(server, candidate):
    body = python_kernels.compare(python_kernels.code(REFERENCE, "torch"),
                                  python_kernels.code(candidate, "torch_cuda"), timeout=LIMIT)
    job = server.run(body, LIMIT)
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
    # A helper of the same name in both sources: they are not to be compiled as one.
    """
module = load_inline(name="apart", functions=["twice"], cuda_sources=TWICE + '''
namespace { torch::Tensor helper(torch::Tensor x) { return x; } }
''', cpp_sources='''torch::Tensor twice(torch::Tensor x);
namespace { torch::Tensor helper(torch::Tensor x); }''')
""",
    # Macros from the flags of each side.
    """
module = load_inline(name="flags", functions=["twice"], cuda_sources=TWICE + '''
static_assert(SIDE == 1);''', cpp_sources='''torch::Tensor twice(torch::Tensor x);
static_assert(SIDE == 2);''', extra_cflags=["-DSIDE=2"], extra_cuda_cflags=["-O3", "-DSIDE=1"])
"""], ids=["own module", "classes", "same names", "macros"])
def test_whatever_load_inline_accepts_is_built(server, setup):
    job = judge(server, model(setup))
    assert job["verdict"] == "accepted", job["result"]


@pytest.mark.parametrize("source", [
    model("""
def build():
    return load_inline("late", "torch::Tensor twice(torch::Tensor x);", TWICE, functions=["twice"])
""", "return build().twice(x)") + "def get_inputs():\n    return [torch.rand(64)]\n",
], ids=["in forward"])
def test_a_call_made_only_while_the_kernel_runs_is_built(server, source):
    job = judge(server, source)
    assert job["verdict"] == "accepted", job["result"]["reason"]


def test_a_compiler_error_names_the_authors_line(server):
    job = judge(server, model("""
module = load_inline(name="broken", functions=["twice"], cpp_sources="torch::Tensor twice(torch::Tensor x);",
                     cuda_sources=TWICE.replace("empty_like(x)", "empty_alike(x)"))
"""))
    assert job["verdict"] == "did_not_compile"
    assert "empty_alike" in str(job["result"])
