#!/usr/bin/env python3
"""How often a kernel held against itself is called faster or slower on the cpu device.

Four settings: raw and torch kernels, on an idle machine and beside two processes that never wait. Each job
compares one source with itself; all that differs between the two is what the clock and the machine add.
Prints a row for each setting, and a line for each job with --verbose. Fails where more than one in a hundred
jobs of a setting is called different.
"""
import argparse
import collections
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import kernels, python_kernels  # noqa: E402
from support.server import Server  # noqa: E402

MOST = 0.01  # of jobs
BUSY_PROCESSES = 2
SPIN = "while True: pass"

TORCH = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def forward(self, {names}):
        return {expression}
def get_inputs():
    return [{inputs}]
def get_init_inputs():
    return []
"""


def torch_kernel(expression, *shapes):
    names = [chr(ord("a") + place) for place in range(len(shapes))]
    inputs = ", ".join(f"torch.randn({', '.join(map(str, shape))})" for shape in shapes)
    source = TORCH.format(names=", ".join(names), expression=expression, inputs=inputs)
    # A candidate is called ModelNew, as KernelBench has it.
    return source, source.replace("class Model(", "class ModelNew(")


TORCH_KERNELS = {  # from a few microseconds to milliseconds
    "relu 16 Ki": torch_kernel("torch.relu(a)", [16 << 10]),
    "relu 1 Mi": torch_kernel("torch.relu(a)", [1 << 20]),
    "tanh(relu+1)*x 1 Mi": torch_kernel("torch.tanh(torch.relu(a) + 1) * a", [1 << 20]),
    "softmax 512": torch_kernel("torch.softmax(a, -1)", [512, 512]),
    "matmul 256": torch_kernel("a @ b", [256, 256], [256, 256]),
    "layer norm": torch_kernel("torch.nn.functional.layer_norm(a, (1024,))", [256, 1024]),
}
RAW_SIZES = {"scale 1 Ki": 1 << 10, "scale 64 Ki": 1 << 16, "scale 1 Mi": 1 << 20}


def torch_body(name, **options):
    reference, candidate = TORCH_KERNELS[name]
    return python_kernels.compare(python_kernels.code(reference, "torch"),
                                  python_kernels.code(candidate, "torch"), **options)


def raw_body(name, **options):
    io = kernels.scale_io(RAW_SIZES[name])
    return kernels.compare(kernels.SCALE, kernels.SCALE, io=io, **options)


FAMILIES = {"raw": (RAW_SIZES, raw_body), "torch": (TORCH_KERNELS, torch_body)}


def run(server, family, jobs, options, verbose):
    names, body = FAMILIES[family]
    names = list(names)
    speeds = []
    for number in range(jobs):
        name = names[number % len(names)]
        job = server.run(body(name, device="cpu", judge_speed=True, **options))
        if job["verdict"] != "accepted":
            raise SystemExit(f"{name}: {job['verdict']}: {job['result']['reason']}")
        speed = job["result"]["speed"]
        speeds.append(speed)
        if verbose:
            median = job["result"]["candidate_timing"]["statistics_ns"]["median"]
            print(f"  {name:22} {speed['speedup']:7.4f} {speed.get('interval')} {speed['verdict']:10}"
                  f" {speed['pairs']:4} pairs {median / 1e3:10.1f} us", flush=True)
    return speeds


def row(family, setting, speeds):
    """Prints a setting; returns whether it holds."""
    verdicts = collections.Counter(speed["verdict"] for speed in speeds)
    different = verdicts["faster"] + verdicts["slower"]
    ratios = [speed["speedup"] for speed in speeds]
    spread = math.exp(math.sqrt(sum(math.log(ratio) ** 2 for ratio in ratios) / len(ratios))) - 1
    print(f"{family:6} {setting:26} {len(speeds):4} jobs  {different:3} different  {verdicts['same']:3} same  "
          f"{verdicts['undecided']:3} undecided  ratios {min(ratios):.3f} to {max(ratios):.3f}  "
          f"spread {100 * spread:.2f} %", flush=True)
    return different <= MOST * len(speeds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=60, help="in each setting")
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--settings", nargs="+", choices=["idle", "busy"], default=["idle", "busy"])
    parser.add_argument("--trials", default="100", help="a number or auto")
    parser.add_argument("--verbose", action="store_true", help="a line for each job")
    arguments = parser.parse_args()
    trials = arguments.trials if arguments.trials == "auto" else int(arguments.trials)
    holds = True
    with tempfile.TemporaryDirectory(prefix="assay-clock-") as folder:
        server = Server(f"{folder}/data", f"{folder}/cache").start()
        try:
            for setting in arguments.settings:
                beside = BUSY_PROCESSES if setting == "busy" else 0
                spinning = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(beside)]
                try:
                    for family in arguments.families:
                        speeds = run(server, family, arguments.jobs, {"num_trials": trials},
                                     arguments.verbose)
                        name = "beside two busy processes" if beside else "idle"
                        holds = row(family, name, speeds) and holds
                finally:
                    for process in spinning:
                        process.kill()
                        process.wait()
        finally:
            server.stop()
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
