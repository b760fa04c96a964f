#!/usr/bin/env python3
"""A real server under mixed load while things break: `make chaos`, or with ARGS="--minutes 20 --seed 7".

Ends with 0 where every accepted job had exactly one end, with the right verdict, no event was missing, and nothing was left
behind. The clock that jumps is the server's alone: others use the machine's.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench")]

from chaos import clients, disorder, traces, wall_clock  # noqa: E402
from support import kernels  # noqa: E402
from support.server import Server, control_groups  # noqa: E402

FINAL = ("done", "failed", "cancelled")
SLACK = 64  # MiB that a process may have grown by


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--disk", type=int, default=192, help="MiB of the file system that is filled")
    parser.add_argument("--submitters", type=int, default=3)
    parser.add_argument("--followers", type=int, default=4)
    parser.add_argument("--rude", type=int, default=8)
    parser.add_argument("--waiting", type=int, default=8, help="jobs on their way at once")
    parser.add_argument("--no-python", dest="python", action="store_false")
    parser.add_argument("serve", nargs="*", help="options for assay serve, behind --")
    return parser.parse_args()


@contextlib.contextmanager
def small_disk(folder, size):
    """A file system of its own; None where this user may not mount one."""
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", str(disk)]
    mounted = os.geteuid() == 0 and subprocess.run(mount, capture_output=True).returncode == 0
    try:
        yield disk, mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(disk)], check=True)


def ends(server, ledger, limit):
    """The views of all jobs, once each has ended or the time is over."""
    deadline, views = time.monotonic() + limit, {}
    for job in sorted(ledger.orders):
        while True:
            view = server.get(f"/v1/jobs/{job}").json
            if view.get("state") in FINAL or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        views[job] = view
    return views


def complaints(server, ledger, views):
    """What is wrong with how the jobs ended."""
    for job, order in ledger.orders.items():
        view = views[job]
        if view.get("state") != "done":
            yield f"{order.kind} job {job}: {view.get('state', view)} {view.get('error', '')}"
        elif view["verdict"] not in order.verdicts:
            yield f"{order.kind} job {job}: {view['verdict']} ({view['result'].get('reason')}), not {sorted(order.verdicts)}"
        seen = []
        text = server.get(f"/v1/jobs/{job}/events").text
        for line in text.splitlines():
            if line.startswith("id:"):
                seen.append(int(line[3:]))
        finals = sum(f'"state":"{state}"' in line for line in text.splitlines() for state in FINAL)
        if seen != list(range(1, len(seen) + 1)) or finals != 1:
            yield f"{order.kind} job {job}: events {seen}, {finals} ends"


def settled(server, limit=30):
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        if all(one["state"] == "free" for one in server.get("/v1/devices").json["devices"]):
            return True
        time.sleep(0.2)
    return False


def disturb(options, server, disk, rng, pauses, clock):
    chaos = disorder.Disorder(server, rng, disk, pauses, clock)
    until = time.monotonic() + options.minutes * 60
    while time.monotonic() < until:
        time.sleep(rng.uniform(0.3, 2))
        chaos.once()
    return chaos


def report(chaos, ledger, views, memory, latencies, seed):
    print(f"seed {seed}")
    print("done to it:", ", ".join(f"{what} {count}" for what, count in sorted(chaos.done.items())))
    print(f"jobs accepted: {len(ledger.orders)}; refused: {ledger.refused or 'none'}; submissions without an answer: {ledger.unanswered}")
    got = collections.Counter((ledger.orders[job].kind, view.get("verdict", view.get("state"))) for job, view in views.items())
    for (kind, verdict), count in sorted(got.items()):
        print(f"  {kind}: {verdict} {count}")
    if latencies:
        ordered = sorted(latencies)
        print(f"/health: {len(ordered)} answers, median {ordered[len(ordered) // 2] * 1e3:.1f} ms, "
              f"p99 {ordered[int(len(ordered) * 0.99)] * 1e3:.1f} ms, most {ordered[-1] * 1e3:.1f} ms")
    for kind in sorted(memory.samples):
        first, last = memory.thirds(kind)
        most = max(count for _, _, count in memory.samples[kind])
        print(f"memory of a {kind}: {first} MiB at most in the first third, {last} in the last; {most} at once at most")


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that all is tidied up
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    mounts = traces.mounts()
    wrong, holes, latencies = [], [], []
    with tempfile.TemporaryDirectory(prefix="chaos-") as name, small_disk(pathlib.Path(name), options.disk) as (disk, mounted):
        server = Server(disk / "data", pathlib.Path(name) / "cache", "--no-prepare", "--max-attempts", "100", "--runner-memory",
                        "1gb", "--keep-free", "32mb", *options.serve)
        server.log_path = pathlib.Path(name) / "server.log"
        clock = wall_clock.WallClock(pathlib.Path(name))
        server.start(env=clock.environment)
        server.run(kernels.compare(num_trials=1), limit=300)  # the toolchain is made once
        ledger, stop, pauses = clients.Ledger(), threading.Event(), disorder.Pauses()
        memory = traces.Memory(server)
        threads = clients.start(server, ledger, stop, seed, options, holes)
        for target, extra in ((memory.watch, (stop,)), (clients.probe, (server, stop, pauses, latencies))):
            threads.append(threading.Thread(target=target, args=extra, daemon=True))
            threads[-1].start()
        try:
            chaos = disturb(options, server, disk if mounted else None, rng, pauses, clock)
            stop.set()
            for thread in threads:
                thread.join(60)
            views = ends(server, ledger, limit=300)
        except BaseException:
            stop.set()
            server.process.kill()
            raise
        wrong += complaints(server, ledger, views)
        wrong += [f"followed job {job}: events {seen}" for job, seen in holes]
        if not settled(server):
            wrong.append(f"a device is not free: {server.get('/v1/devices').text}")
        chaos.note()
        if (code := server.stop(limit=60)) != 0:
            wrong.append(f"the server ended with {code}")
        time.sleep(1)
        wrong += [f"process {one} is left" for one in traces.alive(chaos.seen)]
        wrong += [f"control group {one} is left" for one in control_groups({*chaos.servers, *chaos.seen})]
        wrong += [f"{one} is left" for one in traces.unfinished_builds(pathlib.Path(name) / "cache")]
        report(chaos, ledger, views, memory, latencies, seed)
        for kind in ("server", "worker"):
            first, last = memory.thirds(kind)
            if last > first * 1.5 + SLACK:
                wrong.append(f"the {kind} grew from {first} to {last} MiB")
        if wrong:
            keep = pathlib.Path(tempfile.gettempdir()) / f"chaos-{seed}.log"
            keep.write_bytes(server.log_path.read_bytes())
            print(f"the server's log: {keep}")
    wrong += [f"mount {one} is left" for one in traces.mounts() - mounts]
    for complaint in wrong:
        print("WRONG:", complaint)
    print(f"{len(wrong)} things are wrong" if wrong else "nothing is wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
