#!/usr/bin/env python3
"""KernelBench's problems at their own sizes, each model against itself: how many are accepted, and how long it takes.

    bench/gpu/kernelbench_sizes.py DIR [--every 5] [--from 0] [--results FILE]

DIR holds level1/, level2/ and level3/. What FILE has already is not run again, so that a run can be continued.
Exits 1 where a problem was not accepted.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.server import Server  # noqa: E402


def problems(folder):
    """In the order of their levels and numbers."""
    def place(path):
        return path.parent.name, int(path.name.split("_")[0])

    return sorted(pathlib.Path(folder).glob("level*/*.py"), key=place)


def judge(server, path, timeout):
    kernel = {"source_code": path.read_text(), "kernel_type": "torch"}
    started = time.perf_counter()
    job = server.run({"reference": kernel, "candidate": kernel, "num_trials": 100, "timeout": timeout},
                     limit=timeout + 60, interval=0.02)
    took = time.perf_counter() - started
    result = job.get("result") or {}
    timing = result.get("candidate_timing") or {}
    details = result.get("details") or {}
    return {
        "problem": f"{path.parent.name}/{path.stem}",
        "verdict": job.get("verdict") or job["state"],
        "seconds": round(took, 2),
        "phases": {phase["state"]: round(phase.get("duration_ms", 0) / 1000, 2) for phase in job["phases"]},
        "call_ms": round((timing.get("device_time") or {}).get("ns", 0) / 1e6, 4),
        "trust": timing.get("trust"),
        "speed": (result.get("speed") or {}).get("verdict"),
        "why": str(details.get("reason") or details.get("summary") or job.get("reason") or job.get("error") or "")[:300],
    }


def show(rows):
    accepted = [row for row in rows if row["verdict"] == "accepted"]
    seconds = sorted(row["seconds"] for row in rows)
    print(f"{len(accepted)} of {len(rows)} accepted; seconds: median {statistics.median(seconds):.2f}, "
          f"nine in ten {seconds[int(0.9 * (len(seconds) - 1))]:.2f}, longest {seconds[-1]:.2f}")
    called = sum(row["speed"] in ("faster", "slower") for row in accepted)
    print(f"{called} of {len(accepted)} models called faster or slower than themselves")
    for row in rows:
        if row["verdict"] != "accepted":
            print(f"  {row['problem']}: {row['verdict']}: {row['why']}")
    return len(accepted) == len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--every", type=int, default=5, help="run every n-th problem")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first problem, counted from 0")
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one problem")
    parser.add_argument("--results", default="kernelbench_sizes.jsonl", help="one line a problem; continued where it exists")
    parser.add_argument("--devices", default="cuda")
    options = parser.parse_args()
    results = pathlib.Path(options.results)
    rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    done = {row["problem"] for row in rows}
    chosen = problems(options.folder)[options.first::options.every]
    if not chosen:
        parser.error(f"{options.folder} has no level*/*.py")
    with tempfile.TemporaryDirectory(prefix="assay-sizes-") as folder:
        path = pathlib.Path(folder)
        server = Server(path / "data", path / "cache", "--devices", options.devices).start()
        try:
            print(f"the first job of a server, which waits for Python: {judge(server, chosen[-1], options.timeout)['seconds']} s")
            for problem in chosen:
                if f"{problem.parent.name}/{problem.stem}" in done:
                    continue
                row = judge(server, problem, options.timeout)
                rows.append(row)
                with results.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                print(f"{row['problem']:<70} {row['verdict']:<18} {row['seconds']:>7.2f} s  {row['call_ms']:>9.3f} ms  "
                      f"{row['trust']} {row['speed']}", flush=True)
        finally:
            server.stop()
    return 0 if show(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
