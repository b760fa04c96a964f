"""What goes wrong on purpose: deaths, pauses, a full disk and a clock that jumps."""
import collections
import os
import signal
import time

from support.server import command_line, start_time


def kind_of(pid, oldest_python):
    line = command_line(pid)
    if b"\0worker\0" in line:
        return "worker"
    if b"assay_runner.zygote" in line:
        return "zygote" if pid == oldest_python else "python runner"
    if line.startswith(b"/assay/runner\0") or b"\0runner\0" in line:
        return "runner"
    if any(name in line for name in (b"cc1plus", b"g++", b"c++", b"collect2", b"/ld")):
        return "compiler"
    return "jail"


def processes(server):
    """Every process below the server, by kind."""
    pythons = server.pythons()
    found = collections.defaultdict(list)
    for pid in server.children():
        found[kind_of(pid, pythons[0] if pythons else None)].append(pid)
    return found


class Pauses:
    """Whether the server stands still, and how often it did: what was measured then says nothing of it."""

    def __init__(self):
        self.now = False
        self.count = 0


class Disorder:
    def __init__(self, server, rng, disk, pauses, clock):
        self.server = server
        self.rng = rng
        self.disk = disk  # None: it cannot be filled
        self.pauses = pauses
        self.clock = clock
        self.servers = [server.process.pid]
        self.done = collections.Counter()
        self.seen = {}  # pid -> start time, of all processes that were ever below the server

    def note(self):
        for pid in self.server.children():
            if (started := start_time(pid)) != float("inf"):  # it may be gone already
                self.seen.setdefault(pid, started)

    def once(self):
        self.note()
        chance = self.rng.random()
        if chance < 0.15:
            self.kill_server()
        elif chance < 0.25:
            self.stand_still(self.server.process.pid, "stop the server")
        elif chance < 0.35 and self.disk is not None:
            self.fill_disk()
        elif chance < 0.42:
            self.move_clock()
        else:
            self.trouble_a_child()

    def trouble_a_child(self):
        kinds = processes(self.server)
        if not kinds:
            return
        kind = self.rng.choice(sorted(kinds))
        pid = self.rng.choice(kinds[kind])
        if self.rng.random() < 0.3:
            return self.stand_still(pid, f"stop a {kind}")
        if send(pid, signal.SIGKILL):
            self.done[f"kill a {kind}"] += 1

    def stand_still(self, pid, what):
        if not send(pid, signal.SIGSTOP):
            return
        self.pauses.now = self.pauses.now or pid == self.server.process.pid
        time.sleep(self.rng.uniform(0.1, 2))
        send(pid, signal.SIGCONT)
        self.pauses.now = False
        self.pauses.count += 1
        self.done[what] += 1

    def move_clock(self):
        """By up to a day, there and, sooner or later, back."""
        self.clock.move(self.rng.choice((0, self.rng.uniform(-86400, 86400))))
        self.done["move the clock"] += 1

    def kill_server(self):
        self.pauses.now = True
        orphans = self.server.children()
        self.server.process.kill()
        self.server.process.wait()
        deadline = time.monotonic() + 10
        while any(os.path.exists(f"/proc/{pid}") for pid in orphans):
            if time.monotonic() > deadline:
                raise AssertionError(f"children outlived a killed server: {sorted(orphans)}")
            time.sleep(0.01)
        self.server.start(env=self.clock.environment)
        self.servers.append(self.server.process.pid)
        self.pauses.now = False
        self.pauses.count += 1
        self.done["kill the server"] += 1

    def fill_disk(self):
        filler = self.disk / "filler"
        with open(filler, "wb", buffering=0) as file:
            for size in (1 << 20, 4096):
                try:
                    while file.write(b"x" * size) == size:
                        pass
                except OSError:
                    pass
        time.sleep(self.rng.uniform(1, 4))
        if self.rng.random() < 0.3:  # a start on a full disk
            self.kill_server()
            time.sleep(1)
        filler.unlink()
        self.done["fill the disk"] += 1


def send(pid, sig):
    try:
        os.kill(pid, sig)
    except ProcessLookupError:
        return False
    return True
