#!/usr/bin/env python3
"""What a trivial, cached kernel costs over HTTP, beside the same work by a plain script's means.

Prints: latency of one client, throughput of several, processor time, the memory of the server as
jobs pile up, and the ratio to a fresh `assay compare` process per evaluation (no server, nothing kept warm).
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from driver import http_load  # noqa: E402
from support import kernels  # noqa: E402
from support.server import BINARY, Server  # noqa: E402

BODY = json.dumps(kernels.compare(num_trials=10)).encode()
CLIENTS = 8


def latency(server, count):
    connection = http_load.connect(server)
    for _ in range(10):
        http_load.evaluate(connection, BODY)
    return sorted(http_load.evaluate(connection, BODY)[0] for _ in range(count))


def throughput(server, count):
    return http_load.throughput(server, BODY, count, CLIENTS)


def cpu_seconds(cache, folder, count):
    """Of the server and all its processes, for a server that judges `count` kernels."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    server = Server(f"{folder}/cpu-{count}", cache).start()
    try:
        latency(server, count)
    finally:
        server.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def resident_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS")


def in_place(cache, request, count):
    times = []
    for _ in range(count):
        started = time.perf_counter()
        subprocess.run([BINARY, "compare", "-q", "--cache-dir", cache, request], check=True,
                       capture_output=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000, help="jobs for the memory figure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        server = Server(f"{folder}/data", f"{folder}/cache").start()
        try:
            times = latency(server, 200)
            rate = throughput(server, 400)
            early = None
            done = 0
            while done < options.jobs:
                step = min(1000, options.jobs - done)
                throughput(server, step)
                done += step
                memory = resident_mib(server.process.pid)
                early = early or memory
                print(f"  after {done:6} jobs the server holds {memory:7.1f} MiB", flush=True)
        finally:
            server.stop()
        request = pathlib.Path(folder, "request.json")
        request.write_bytes(BODY)
        plain = in_place(f"{folder}/cache", str(request), 10)
        few, many = (cpu_seconds(f"{folder}/cache", folder, count) for count in (50, 250))
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"machine     {os.cpu_count()} cores, load {load}")
    p50, p99 = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(f"latency     p50 {p50 * 1e3:.1f} ms   p99 {p99 * 1e3:.1f} ms   (aim: p50 under 15 ms)")
    print(f"processor   {(many - few) / 200 * 1e3:.1f} ms for an evaluation, over all processes")
    print(f"throughput  {rate:.0f} evaluations/s with {CLIENTS} clients   (aim: 50)")
    print(f"memory      {early:.1f} MiB after 1000 jobs, {memory:.1f} after {options.jobs}: "
          f"ratio {memory / early:.2f}   (aim: flat)")
    print(f"ratio       a fresh process per evaluation takes {plain * 1e3:.0f} ms: "
          f"{plain / p50:.1f} times as long")


if __name__ == "__main__":
    main()
