#!/usr/bin/env python3
"""How long an evaluation on a GPU takes, beside a plain script that does what such scripts do.

Prints a table: the case, what the script took in this same run, what Assay took, and the aim.
"""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import kernels  # noqa: E402
from support.server import Server  # noqa: E402

N = 1 << 20
CANDIDATES = 64


def candidate(number):
    """A kernel that nobody has built before."""
    return kernels.SCALE_STRIDED + f"// candidate {number} {time.time_ns()}\n"


def body(source):
    return kernels.compare(source, io=kernels.scale_io(N), num_trials=100, rounds=5)


def evaluate(server, source):
    started = time.perf_counter()
    id = server.submit(body(source))
    while (job := server.get(f"/v1/jobs/{id}").json)["state"] not in ("done", "failed"):
        time.sleep(0.003)
    if job["verdict"] != "accepted":
        sys.exit(f"unexpected answer: {job}")
    return time.perf_counter() - started


def phases(server):
    text = server.get("/metrics").text
    return [line for line in text.splitlines() if "phase" in line and ("_sum" in line or "_count" in line)]


def baseline(*flags):
    done = subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("baseline.py")),
                           *flags], capture_output=True, text=True)
    if done.returncode != 0:
        return {"total": float("nan"), "error": done.stderr[-400:]}
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-baseline", action="store_true", help="leave the plain script out")
    options = parser.parse_args()
    script = {} if options.no_baseline else baseline("--cold")
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        path = pathlib.Path(folder)
        server = Server(path / "data", path / "cache", "--devices", "cuda", "--build-jobs",
                        "14").start()
        time.sleep(3)  # spare runners make their contexts
        evaluate(server, candidate("first"))
        cold = []
        for number in range(10):
            time.sleep(0.5)
            cold.append(evaluate(server, candidate(number)))
        source = candidate("again")
        evaluate(server, source)
        warm = []
        for _ in range(10):
            time.sleep(0.5)
            warm.append(evaluate(server, source))
        started = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda i: evaluate(server, candidate(f"many {i}")), range(CANDIDATES)))
        rate = CANDIDATES / (time.perf_counter() - started)
        print("\n".join(phases(server)))
        server.stop()
    total = script.get("total", float("nan"))
    print("plain script:", json.dumps(script))
    print(f"\n{'case':<38} {'script':>10} {'assay':>12} {'times':>7}   aim")
    print(f"{'cuda, cold':<38} {total:>8.2f} s {statistics.median(cold):>10.3f} s "
          f"{total / statistics.median(cold):>7.0f}   under 0.4 s (worst here {max(cold):.3f} s)")
    print(f"{'cuda, same source again':<38} {'':>10} {statistics.median(warm):>10.3f} s {'':>7}   "
          f"(worst here {max(warm):.3f} s)")
    print(f"{f'{CANDIDATES} different cuda candidates':<38} {1 / total:>8.3f}/s {rate:>10.1f}/s "
          f"{rate * total:>7.0f}   5 a second or more")


if __name__ == "__main__":
    main()
