#!/usr/bin/env python3
"""Honest kernels over and over: whether one is ever refused.

Each Python file under bench/judge/honest holds a reference (`Model`) and another honest way to compute the same
(`ModelNew`). Beside a CUDA kernel lies a file with its reference and its contract.
Every run has its own secret inputs, so what is refused once in a while shows only after some runs.

    python3 bench/judge/honest_kernels.py --times 5 [--only NAME ...]
"""
import argparse
import collections
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.server import Server  # noqa: E402

FOLDER = pathlib.Path(__file__).with_name("honest")
PATIENCE = 300  # seconds for one request


def kernels_of(path):
    source = path.read_text()
    if path.suffix == ".cu":
        given = json.loads(path.with_suffix(".json").read_text())
        return {"reference": {"source_code": given["reference"], "kernel_type": "torch", "io": {"args": given["inputs"]},
                              "metadata": {"function_name": "reference"}},
                "candidate": {"source_code": source, "kernel_type": "cuda",
                              "io": {"args": given["inputs"] + given["others"], "launch": given["launch"]}}}
    kind = source.partition("\n")[0].removeprefix("# type: ") if source.startswith("# type: ") else "torch"
    return {"reference": {"source_code": source, "kernel_type": "torch"},
            "candidate": {"source_code": source, "kernel_type": kind}}


def judged(server, path, rounds):
    job = server.run({**kernels_of(path), "rounds": rounds, "num_trials": 10, "warmup": 1, "timeout": PATIENCE},
                     limit=PATIENCE, interval=0.05)
    result = job.get("result") or {}
    return job.get("verdict") or job["state"], result.get("reason", ""), [w["code"] for w in result.get("warnings") or []]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3, help="of each request: all but two have changed inputs")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    kernels = [path for path in sorted(FOLDER.glob("*.[cp][uy]")) if not options.only or path.stem in options.only]
    refused = collections.Counter()
    warned = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(pathlib.Path(folder) / "data", pathlib.Path(folder) / "cache").start()
        try:
            for _ in range(options.times):
                for path in kernels:
                    verdict, reason, warnings = judged(server, path, options.rounds)
                    warned[path.stem].update(warnings)
                    if verdict != "accepted":
                        refused[path.stem] += 1
                        print(f"{path.stem}: {verdict} {reason[:400]}", flush=True)
        finally:
            server.stop()
    for name, codes in sorted(warned.items()):
        if codes:
            print(f"{name}: warned {', '.join(f'{code} ({count})' for code, count in codes.items())}")
    print(f"{len(kernels)} kernels, {options.times} times each: {refused.total()} refusals, of {len(refused)} kernels")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
