"""What a server may leave behind on a machine, and how much memory its processes hold."""
import collections
import os
import pathlib
import time

from chaos import disorder
from support.server import start_time

PAGE = os.sysconf("SC_PAGE_SIZE")


def mounts():
    return set(pathlib.Path("/proc/self/mounts").read_text().splitlines())


def unfinished_builds(cache):
    """Folders in which compilers worked."""
    work = pathlib.Path(cache) / "builds" / "work"
    return [str(path) for folder in work.glob("*") for path in folder.glob("build-*")] if work.exists() else []


def alive(seen):
    """Those of the processes that are still there, by pid and start time."""
    return [pid for pid, started in seen.items() if started == start_time(pid)]


class Memory:
    """Resident bytes by kind of process, over time."""

    def __init__(self, server):
        self.server = server
        self.began = time.monotonic()
        self.samples = collections.defaultdict(list)  # kind -> (seconds, bytes of the largest, how many)

    def look(self):
        kinds = {"server": [self.server.process.pid], **disorder.processes(self.server)}
        for kind, pids in kinds.items():
            sizes = [size for size in map(resident, pids) if size]
            if sizes:
                self.samples[kind].append((time.monotonic() - self.began, max(sizes), len(sizes)))

    def watch(self, stop):
        while not stop.wait(2):
            try:
                self.look()
            except (OSError, AttributeError):  # the server is being started
                pass

    def thirds(self, kind):
        """The most in the first and in the last third of the run, in MiB."""
        samples = self.samples[kind]
        if not samples:
            return 0, 0
        end = samples[-1][0]
        first = max((size for at, size, _ in samples if at <= end / 3), default=0)
        last = max((size for at, size, _ in samples if at >= end * 2 / 3), default=0)
        return first >> 20, last >> 20


def resident(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0
