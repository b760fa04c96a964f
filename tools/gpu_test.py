#!/usr/bin/env python3
"""Runs every test that needs a GPU against a real server, and prints a short table last.

Needs Python's own library alone: machines with GPUs often have no pytest. The tests are those of
tests/gpu, which pytest collects as well.
"""
import argparse
import importlib
import os
import pathlib
import signal
import sys
import tempfile
import time
import traceback
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "gpu")]

from support import server as server_module  # noqa: E402


def collect(only, skipped):
    for path in sorted((ROOT / "tests" / "gpu").glob("test_*.py")):
        module = importlib.import_module(path.stem)
        for name, function in vars(module).items():
            if not name.startswith("test_") or not callable(function):
                continue
            whole = f"{path.stem}.{name}"
            if any(part in whole for part in only or [""]) and not any(part in whole for part in skipped):
                yield f"{path.stem[5:]}: {name[5:].replace('_', ' ')}", function


def run(tests, gpu):
    rows = []
    for name, function in tests:
        started = time.monotonic()
        try:
            function(gpu)
            fate = "ok"
        except unittest.SkipTest as reason:
            fate = "skipped"
            print(f"--- {name}: {reason}", flush=True)
        except Exception:  # noqa: BLE001 - a test may fail in any way, the others still run
            fate = "FAILED"
            print(f"--- {name}", flush=True)
            traceback.print_exc(limit=-2, file=sys.stdout)
        rows.append((fate, name, time.monotonic() - started))
        print(f"{fate:<7} {name}", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], help="run the tests whose name contains this; may be repeated")
    parser.add_argument("--skip", action="append", default=[], help="leave out those whose name contains this")
    options = parser.parse_args()
    # Told to end, it ends its server too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    with tempfile.TemporaryDirectory(prefix="assay-gpu-") as folder:
        path = pathlib.Path(folder)
        # nvcc takes a minute for an extension: as many at once as there are cores.
        gpu = server_module.Server(path / "data", path / "cache", "--devices", "cuda", "--build-jobs",
                                   str(max(2, os.cpu_count() - 2))).start()
        try:
            rows = run(list(collect(options.only, options.skip)), gpu)
        finally:
            code = gpu.stop()
        if code != 0 or any(fate == "FAILED" for fate, _, _ in rows):
            print("\nthe server's log ends:\n" + gpu.log_path.read_text()[-4000:])
    print(f"\n{'':<7} {'test':<70} seconds")
    for fate, name, seconds in rows:
        print(f"{fate:<7} {name:<70} {seconds:7.2f}")
    failed = sum(fate == "FAILED" for fate, _, _ in rows)
    passed = sum(fate == "ok" for fate, _, _ in rows)
    print(f"\n{passed} of {len(rows)} tests passed; the server ended with {code}")
    return 1 if failed or code != 0 or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
