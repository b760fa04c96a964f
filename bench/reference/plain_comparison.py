"""What such scripts do today: a fresh interpreter imports torch, builds both models from their
files, checks one against the other over five rounds of inputs and times some runs of both.

Run by python_kernels_bench.py, as a process of its own each time:
    python plain_comparison.py REFERENCE CANDIDATE TRIALS
"""
import pathlib
import runpy
import statistics
import sys
import time

import torch


def model(names, kind, seed):
    torch.manual_seed(seed)
    return names.get(kind, names.get("Model"))(*names["get_init_inputs"]()).eval()


def timed(call, trials):
    times = []
    for _ in range(trials):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main(reference_file, candidate_file, trials):
    reference_names = runpy.run_path(reference_file)
    candidate_names = {**reference_names, **runpy.run_path(candidate_file)}
    reference, candidate = model(reference_names, "Model", 1), model(candidate_names, "ModelNew", 1)
    candidate.load_state_dict(reference.state_dict(), strict=False)
    with torch.no_grad():
        for seed in range(5):
            torch.manual_seed(seed)
            inputs = reference_names["get_inputs"]()
            expected, given = reference(*inputs), candidate(*inputs)
            assert torch.allclose(expected, given, atol=1e-4, rtol=1e-3)
        slow, fast = (timed(lambda: one(*inputs), int(trials)) for one in (reference, candidate))
    print(f"speedup {slow / fast:.2f}")


if __name__ == "__main__":
    main(*map(str, map(pathlib.Path, sys.argv[1:3])), sys.argv[3])
