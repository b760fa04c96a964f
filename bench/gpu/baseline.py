"""What such scripts do today: a fresh interpreter imports torch, loads the candidate, which builds its
kernel, checks it against the reference over five rounds of inputs and times a hundred runs with events.

    baseline.py REFERENCE CANDIDATE [--cold]     two files, with Model and ModelNew

Run by gpu_bench.py, as a process of its own each time. Prints one line of JSON with the phases.
"""
import importlib.util
import json
import os
import sys
import tempfile
import time

START = time.perf_counter()
if "--cold" in sys.argv:
    for name in ("TORCH_EXTENSIONS_DIR", "TRITON_CACHE_DIR"):
        os.environ[name] = tempfile.mkdtemp(prefix="cold-")

import torch  # noqa: E402

IMPORTED = time.perf_counter()


def load(path):
    # As a module of a file: Triton reads the source of its kernels.
    spec = importlib.util.spec_from_file_location(os.path.basename(path).removesuffix(".py"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    reference, candidate = load(sys.argv[1]), load(sys.argv[2])
    model, new = reference.Model().cuda(), candidate.ModelNew().cuda()
    loaded = time.perf_counter()
    for round_number in range(5):
        torch.manual_seed(round_number)
        inputs = reference.get_inputs()
        assert torch.allclose(new(*inputs), model(*inputs), atol=1e-2, rtol=1e-2)
    checked = time.perf_counter()
    times = []
    for _ in range(100):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        new(*inputs)
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    print(json.dumps({"import": IMPORTED - START, "load": loaded - IMPORTED,
                      "check": checked - loaded, "time": time.perf_counter() - checked,
                      "total": time.perf_counter() - START}))


main()
