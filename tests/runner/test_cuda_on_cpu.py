"""Code written for CUDA works on the cpu device."""

import pytest

STATEMENTS = {
    "cuda method": "x.cuda() is x and x.cuda(0, non_blocking=True) is x",
    "to": "x.to('cuda').to('cuda:0').to(torch.device('cuda')).to(0).is_cuda",
    "to with a dtype": "x.to('cuda', torch.float16).dtype == torch.float16",
    "to a dtype": "x.to(torch.float64).dtype == torch.float64",
    "to another tensor's device": "x.to(torch.ones(1).device).is_cuda",
    "to by keyword": "x.to(device='cuda', dtype=torch.int32).dtype == torch.int32",
    "is_cuda": "x.is_cuda and not x.is_cpu",
    "device": "x.device.type == 'cuda' and x.device == torch.device('cuda', 0)",
    "get_device": "x.get_device() == 0",
    "factories": "all(f(3, device='cuda').is_cuda for f in (torch.empty, torch.zeros, torch.rand))",
    "factories with a device": "torch.arange(3, device=x.device).sum().item() == 3",
    "tensor": "torch.tensor([1.0], device='cuda').item() == 1",
    "likes": "torch.zeros_like(x, device='cuda').is_cuda",
    "new": "x.new_zeros(2, device='cuda').is_cuda",
    "generator": "torch.randn(2, generator=torch.Generator('cuda').manual_seed(1), device='cuda')"
    ".is_cuda",
    "cuda tensors": "torch.cuda.FloatTensor([1, 2]).is_cuda",
    "back": "x.cuda().cpu().numpy()[0] == 1",
    "module": "next(torch.nn.Linear(2, 2).cuda().parameters()).is_cuda",
    "module to": "next(torch.nn.Linear(2, 2, device='cuda').to('cuda').parameters()).is_cuda",
    "context": "_within(torch.device('cuda'), lambda: torch.ones(1)).is_cuda",
    "available": "torch.cuda.is_available() and torch.cuda.device_count() == 1",
    "current device": "torch.cuda.current_device() == 0",
    "properties": "torch.cuda.get_device_properties('cuda').multi_processor_count > 0",
    "capability": "torch.cuda.get_device_capability() >= (7, 0)",
    "synchronize": "torch.cuda.synchronize() is None and torch.cuda.empty_cache() is None",
    "seeds": "torch.cuda.manual_seed(1) is None and torch.cuda.manual_seed_all(1) is None",
    "streams": "_within(torch.cuda.stream(torch.cuda.Stream()), lambda: True)",
    "current stream": "torch.cuda.current_stream().synchronize() is None",
    "device context": "_within(torch.cuda.device(0), lambda: True)",
    "autocast": "_within(torch.autocast('cuda'), lambda: (y @ y).dtype) == torch.float16",
    "bfloat autocast": "_within(torch.autocast('cuda', dtype=torch.bfloat16), lambda: (y @ y).dtype)"
    " == torch.bfloat16",
    "pin": "x.pin_memory() is x and x.record_stream(torch.cuda.current_stream()) is None",
    "nvtx": "_within(torch.cuda.nvtx.range('a'), lambda: True)",
    "pinned factories": "torch.empty(4, pin_memory=True).numel() == 4 and "
    "x.new_zeros(2, pin_memory=True).sum() == 0",
    "all properties": "all(hasattr(torch.cuda.get_device_properties(0), name) for name in "
    "dir(torch._C._CudaDeviceProperties) if not name.startswith('_'))",
    "limits": "torch.cuda.get_device_properties(0).max_threads_per_block == 1024",
    "clocks": "torch.cuda.get_device_properties(0).clock_rate > 0",
    "generator state": "torch.cuda.set_rng_state(torch.cuda.get_rng_state()) is None and "
    "torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all()) is None",
    "seeds are kept": "torch.equal(*[[torch.cuda.manual_seed(5), torch.rand(3, device='cuda')][1] for _ in 'ab'])",
    "forked generators": "torch.equal(_within(torch.random.fork_rng(devices=[0]), lambda: torch.rand(2)), "
    "torch.rand(2))",
    "a generator's device": "torch.Generator('cuda').device.type == 'cuda' and torch.Generator().device.type == 'cpu'",
    "capturing": "torch.cuda.is_current_stream_capturing() is False",
    "any stream": "torch.Stream('cuda').synchronize() is None",
    "any event": "torch.Event('cuda', enable_timing=True).record() is None",
    "memory": "isinstance(torch.cuda.memory_summary(), str) and "
    "torch.cuda.memory_stats()['allocated_bytes.all.current'] == 0",
    "peers": "not torch.cuda.can_device_access_peer(0, 0)",
    "runtime library": "torch.cuda.check_error(torch.cuda.cudart().cudaProfilerStart()) is None",
    "sleep": "torch.cuda._sleep(1000) is None",
    "toolkit": "__import__('torch.utils.cpp_extension').utils.cpp_extension.CUDA_HOME is not None",
    "types": "x.type() == 'torch.cuda.FloatTensor' and x.type('torch.cuda.LongTensor').dtype == torch.int64",
    "benchmarks": "triton.testing.do_bench(lambda: x + 1, warmup=1, rep=1) > 0",
    "triton device": "triton.runtime.driver.active.get_current_device() == 0",
}
PRELUDE = """
import torch, triton
def _within(context, do):
    with context:
        return do()
x = torch.ones(3)
y = torch.ones(4, 4)
"""


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS.keys())
def test_cuda_is_the_processor(child, statement):
    child.loaded(f"{PRELUDE}\nassert {statement}\ndef f(): pass")


def test_events_measure_time(child):
    child.loaded(
        "import time, torch\n"
        "a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))\n"
        "a.record(); time.sleep(0.01); b.record(); torch.cuda.synchronize()\n"
        "assert 10 <= a.elapsed_time(b) < 1000\n"
        "def f(): pass\n"
    )


def test_scripted_functions_still_compile(child):
    child.loaded(
        "import torch\n"
        "@torch.jit.script\n"
        "def f(x):\n"
        "  return torch.zeros(3) + x\n"
        "assert f(torch.ones(3)).sum() == 3\n"
    )


def test_inputs_from_the_arena_are_cuda_tensors_too(child, arena):
    child.loaded("def f(x):\n  assert x.is_cuda and x.device.type == 'cuda'\n  return x + 1")
    arena.give(child, "inputs", arena.put([1]))
    reply = child.call({"op": "run"})
    assert arena.collect(child, "outputs", reply["value"]) == [[2]]


def test_libraries_are_told_the_truth(child):
    child.loaded(
        "import torch, copy\n"
        "x = torch.nn.Parameter(torch.ones(2))\n"
        "assert 'cuda' not in repr(x)\n"
        "rnn = torch.nn.LSTM(2, 2).cuda()\n"
        "rnn(torch.ones(1, 1, 2, device='cuda'))\n"
        "attention = torch.nn.MultiheadAttention(4, 2).cuda().eval()\n"
        "y = torch.ones(1, 1, 4, device='cuda')\n"
        "attention(y, y, y)\n"
        "copy.deepcopy(rnn)\n"
        "def f(): pass\n"
    )


def test_operators_registered_for_cuda_are_called(child):
    child.loaded(
        "import torch\n"
        "@torch.library.custom_op('mine::twice', mutates_args=(), device_types='cuda')\n"
        "def twice(x: torch.Tensor) -> torch.Tensor: return x * 2\n"
        "@torch.library.custom_op('mine::half', mutates_args=(), device_types=['cpu', 'cuda'])\n"
        "def half(x: torch.Tensor) -> torch.Tensor: return x / 2\n"
        "@torch.library.custom_op('mine::thrice', mutates_args=())\n"
        "def thrice(x: torch.Tensor) -> torch.Tensor: raise RuntimeError('not for any device')\n"
        "@thrice.register_kernel('cuda')\n"
        "def _(x): return x * 3\n"
        "torch.library.define('mine::square', '(Tensor x) -> Tensor')\n"
        "@torch.library.impl('mine::square', 'cuda')\n"
        "def square(x): return x * x\n"
        "mine = torch.library.Library('others', 'DEF')\n"
        "mine.define('next(Tensor x) -> Tensor')\n"
        "mine.impl('next', lambda x: x + 1, 'CUDA')\n"
        "x = torch.full((2,), 4.0, device='cuda')\n"
        "found = [op(x)[0].item() for op in (twice, half, thrice, torch.ops.mine.square, torch.ops.others.next)]\n"
        "assert found == [8, 2, 12, 16, 5], found\n"
        "def f(): pass\n"
    )


GRAPH = """
import torch, triton, triton.language as tl
@triton.jit
def add_one(x, B: tl.constexpr):
    at = x + tl.arange(0, B)
    tl.store(at, tl.load(at) + 1)

x = torch.zeros(4, device="cuda")
count = torch.zeros(1, device="cuda")
with torch.cuda.stream(torch.cuda.Stream()):
    y = x * 2
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    assert torch.cuda.is_current_stream_capturing()
    count += 1
    y = (x * 2).view(2, 2).t().contiguous().reshape(-1)
    add_one[(1,)](y, B=4)
assert not torch.cuda.is_current_stream_capturing()
assert count.item() == 0
for start in (1, 10):
    x.copy_(torch.arange(4.0) + start)
    graph.replay()
    wanted = torch.tensor([2.0 * start + 2 * i + 1 for i in (0, 2, 1, 3)])
    assert torch.equal(y, wanted), (y, wanted)
assert count.item() == 2
"""


def test_a_graph_does_at_every_replay_what_was_captured(child):
    child.loaded(GRAPH + "def f(): pass\n", "triton")


def test_a_graph_cannot_capture_what_needs_a_value(child):
    source = GRAPH.replace("    count += 1\n", "    count.item()\n")
    name, details = child.verdict_in(child.load(source, "triton"))
    assert name == "did_not_compile"
    assert "operation not permitted when stream is capturing" in details["log"]


def test_graphed_callables_follow_their_inputs(child):
    child.loaded(
        "import torch\n"
        "x = torch.ones(3, device='cuda')\n"
        "with torch.no_grad():\n"
        "  f = torch.cuda.make_graphed_callables(lambda x: x * 2, (x.clone(),))\n"
        "  model = torch.nn.Linear(3, 2).cuda()\n"
        "  wanted = model(x + 1)\n"
        "  graphed = torch.cuda.make_graphed_callables(model, (x.clone(),))\n"
        "assert torch.equal(f(x + 4), (x + 4) * 2)\n"
        "with torch.no_grad(): assert torch.equal(graphed(x + 1), wanted)\n"
        "def g(): pass\n"
    )


def test_a_graph_with_an_extension_is_unsupported(child):
    in_use = "from assay_runner.host_launches import HostLaunches\nHostLaunches.in_use = True\n"
    name, details = child.verdict_in(child.load(in_use + GRAPH, "triton"))
    assert name == "unsupported"
    assert "cannot capture the kernels of an extension" in details["summary"]
