"""What such scripts do today: a fresh interpreter imports torch, builds both models from their
files, checks one against the other over five rounds of inputs and times some runs of both.

Run by the benchmarks as a process of its own each time:
    python plain_comparison.py REFERENCE CANDIDATE TRIALS [cpu|cuda]
Prints one line of JSON: the seconds of each phase.
"""
import importlib.util
import json
import pathlib
import sys
import time

START = time.perf_counter()

import torch  # noqa: E402

IMPORTED = time.perf_counter()


def load(path):
    # As a module of a file: Triton reads the source of its kernels.
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


def model(names, kind, device):
    torch.manual_seed(1)
    return names.get(kind, names.get("Model"))(*names["get_init_inputs"]()).eval().to(device)


def milliseconds(call, device):
    if device == "cpu":
        started = time.perf_counter()
        call()
        return (time.perf_counter() - started) * 1e3
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def main(reference_file, candidate_file, trials, device="cpu"):
    reference_names = load(reference_file)
    candidate_names = {**reference_names, **load(candidate_file)}
    reference = model(reference_names, "Model", device)
    candidate = model(candidate_names, "ModelNew", device)
    candidate.load_state_dict(reference.state_dict(), strict=False)
    loaded = time.perf_counter()
    with torch.no_grad():
        for seed in range(5):
            torch.manual_seed(seed)
            inputs = [value.to(device) for value in reference_names["get_inputs"]()]
            assert torch.allclose(reference(*inputs), candidate(*inputs), atol=1e-4, rtol=1e-3)
        checked = time.perf_counter()
        for one in (reference, candidate):
            for _ in range(int(trials)):
                milliseconds(lambda: one(*inputs), device)
    ended = time.perf_counter()
    print(json.dumps({"import": IMPORTED - START, "load": loaded - IMPORTED,
                      "check": checked - loaded, "time": ended - checked, "total": ended - START}))


if __name__ == "__main__":
    main(*sys.argv[1:])
