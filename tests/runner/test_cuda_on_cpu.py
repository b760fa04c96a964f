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
