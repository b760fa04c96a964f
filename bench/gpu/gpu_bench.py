#!/usr/bin/env python3
"""How long an evaluation on a GPU takes, beside a plain script that does what such scripts do.

Prints the mean of each phase, and last a table: the case, what the script took in this same run, what
Assay took, how many times faster that is, and the aim.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import gpu_kernels, kernels  # noqa: E402
from support.server import Server  # noqa: E402

N = 1 << 20
CLIENTS = 16
TRIALS = 100
NAN = float("nan")


def cuda(source):
    return kernels.compare(source, io=kernels.scale_io(N), num_trials=TRIALS, rounds=5)


def model(kind):
    def body(source):
        return {"reference": {"source_code": gpu_kernels.REFERENCE, "kernel_type": "torch"},
                "candidate": {"source_code": source, "kernel_type": kind},
                "num_trials": TRIALS, "rounds": 5, "timeout": 300}
    return body


# kind: (how to ask, a source nobody built before, how often cold, aims: cold and again in seconds,
# a rate for many different ones)
Kind = collections.namedtuple("Kind", "body source repeats cold again rate")
KINDS = {
    "cuda": Kind(cuda, lambda n: kernels.SCALE_STRIDED + f"// {n}\n", 10, 0.4, None, 5),
    "triton": Kind(model("triton"), lambda n: gpu_kernels.TRITON + f"# {n}\n", 5, 1.0, None, None),
    "torch_cuda": Kind(model("torch_cuda"),
                       lambda n: gpu_kernels.TORCH_CUDA.replace("NUMBER", str(n)), 3, 5.0, 0.4, 1),
}


class Bench:
    def __init__(self, server, candidates):
        self.server = server
        self.candidates = candidates
        self.made = 0
        self.phases = collections.defaultdict(list)

    def fresh(self, kind):
        self.made += 1
        return kind.source(f"{self.made}_{time.time_ns()}")

    def evaluate(self, name, source, case):
        started = time.perf_counter()
        job = self.server.run(KINDS[name].body(source), limit=600, interval=0.003)
        took = time.perf_counter() - started
        if job["verdict"] != "accepted":
            sys.exit(f"unexpected answer: {json.dumps(job)}")
        print(f"{name}, {case}: {took:.3f} s", file=sys.stderr, flush=True)
        for phase in job["phases"]:
            self.phases[f"{name}, {case}", phase["state"]].append(phase.get("duration_ms", 0))
        return took

    def cold(self, name):
        kind = KINDS[name]
        self.evaluate(name, self.fresh(kind), "first")  # the first of its kind prepares headers
        return [self.evaluate(name, self.fresh(kind), "cold") for _ in self.pauses(kind.repeats)]

    def again(self, name):
        source = self.fresh(KINDS[name])
        self.evaluate(name, source, "cold")
        return [self.evaluate(name, source, "again") for _ in self.pauses(KINDS[name].repeats)]

    def rate(self, name):
        started = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(lambda _: self.evaluate(name, self.fresh(KINDS[name]), "many"),
                          range(self.candidates)))
        return self.candidates / (time.perf_counter() - started)

    @staticmethod
    def pauses(count):
        for i in range(count):
            time.sleep(0.5)  # spare runners make their contexts
            yield i

    def print_phases(self):
        cases = dict.fromkeys(case for case, _ in self.phases)
        states = dict.fromkeys(state for _, state in self.phases)
        print(f"{'mean of each phase, ms':<38}" + "".join(f"{state:>10}" for state in states))
        for case in cases:
            means = (statistics.mean(self.phases.get((case, state), [0])) for state in states)
            print(f"{case:<38}" + "".join(f"{mean:>10.0f}" for mean in means))


def baseline(name):
    """The plain script, with nothing built before; raw kernels are compared to one that embeds CUDA."""
    candidate = gpu_kernels.TRITON if name == "triton" else gpu_kernels.TORCH_CUDA
    with tempfile.TemporaryDirectory(prefix="assay-baseline-") as folder:
        files = [pathlib.Path(folder) / "reference.py", pathlib.Path(folder) / "candidate.py"]
        for file, source in zip(files, (gpu_kernels.REFERENCE, candidate)):
            file.write_text(source)
        empty = {name: str(pathlib.Path(folder, name)) for name in ("TORCH_EXTENSIONS_DIR",
                                                                    "TRITON_CACHE_DIR")}
        done = subprocess.run([sys.executable, ROOT / "bench/reference/plain_comparison.py", *files,
                               str(TRIALS), "cuda"], capture_output=True, text=True,
                              env={**os.environ, **empty})
    if done.returncode != 0:
        sys.exit(f"the plain script failed:\n{done.stderr}")
    print(f"plain script, {name}: {done.stdout.splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])["total"]


def row(case, script, times, aim):
    reached = statistics.median(times)
    aimed = "" if aim is None else f"under {aim} s"
    print(f"{case:<38} {script:>8.2f} s {reached:>9.3f} s {script / reached:>7.1f}   {aimed:<14}"
          f"worst {max(times):.3f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-baseline", action="store_true", help="leave the plain script out")
    parser.add_argument("--only", choices=KINDS, action="append", help="this kind alone (repeatable)")
    parser.add_argument("--candidates", type=int, default=64, help="how many different ones at once")
    parser.add_argument("--devices", default="cuda", help="as the server takes it")
    options = parser.parse_args()
    names = options.only or list(KINDS)
    script = {name: NAN if options.no_baseline else baseline(name) for name in names if name != "cuda"}
    script["cuda"] = script.get("torch_cuda", NAN)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        path = pathlib.Path(folder)
        server = Server(path / "data", path / "cache", "--devices", options.devices, "--build-jobs",
                        "14").start()
        time.sleep(3)
        bench = Bench(server, options.candidates)
        cold = {name: bench.cold(name) for name in names}
        again = {name: bench.again(name) for name in names}
        rates = {name: bench.rate(name) for name in names if KINDS[name].rate}
        server.stop()
    bench.print_phases()
    print(f"\n{'case':<38} {'script':>10} {'assay':>11} {'times':>7}   aim")
    for name in names:
        row(f"{name}, cold", script[name], cold[name], KINDS[name].cold)
        row(f"{name}, same source again", script[name], again[name], KINDS[name].again)
    for name, rate in rates.items():
        print(f"{f'{options.candidates} different {name}':<38} {1 / script[name]:>8.3f}/s {rate:>9.2f}/s "
              f"{rate * script[name]:>7.0f}   {KINDS[name].rate} a second or more")


if __name__ == "__main__":
    main()
