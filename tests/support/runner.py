"""The worker's side of the protocol, for tests: a real zygote, real children."""

from __future__ import annotations

import array
import base64
import math
import mmap
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from assay_runner.frames import FrameSocket  # noqa: E402

LIMITS = {
    "memory_bytes": 1 << 30,
    "processes": 64,
    "tmp_bytes": 64 << 20,
    "file_bytes": 64 << 20,
    "open_files": 256,
    "cpu_seconds": 60,
}
PATIENCE = 30  # seconds, for a machine in trouble


def pair():
    ours, theirs = socket.socketpair()
    ours.settimeout(PATIENCE)
    return Channel(ours), theirs


class Channel(FrameSocket):
    """Ours may time out; a test must not hang with what it tests."""

    def __init__(self, ours):
        self._socket = ours


def find_python():
    """A Python with torch, or why there is none."""
    named = os.environ.get("ASSAY_PYTHON")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    python = pathlib.Path(named) if named else cache / "assay/python/bin/python"
    if not python.exists():
        return None, f"no Python at {python}; name one with ASSAY_PYTHON"
    check = "import importlib.metadata as m; m.version('torch'), m.version('triton')"
    found = subprocess.run([python, "-I", "-c", check], capture_output=True, text=True)
    return (python, "") if found.returncode == 0 else (None, found.stderr.strip())


class Zygote:
    """Started as the worker does, but without the worker's jail around it."""

    def __init__(self, python):
        self.requests, theirs = pair()
        self.process = subprocess.Popen(
            [python, "-I", "-B", "-c", self._bootstrap(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": "/tmp",
                "LANG": "C.UTF-8",
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
                "MKL_NUM_THREADS": "1",
                "TRITON_INTERPRET": "1",
            },
        )
        theirs.close()
        self.hello, _ = self.requests.receive()

    @staticmethod
    def _bootstrap(descriptor):
        return (
            f"import os, sys; os.dup2({descriptor}, 3); "
            f"sys.path.insert(0, {str(ROOT / 'python')!r}); "
            "from assay_runner.zygote import main; main()"
        )

    def fork(self, *, device="cpu", filter=b"", **limits):
        return Runner(self, device, filter, {**LIMITS, **limits})

    def close(self):
        self.requests.close()
        return self.process.wait(PATIENCE)


class Runner:
    def __init__(self, zygote, device, filter, limits):
        self.output = os.memfd_create("output")
        self.channel, channel = pair()
        self.control, control = pair()
        zygote.requests.send(
            {
                "op": "fork",
                "device": device,
                "filter": base64.b64encode(filter).decode(),
                "limits": limits,
                "environment": {"TMPDIR": "/tmp"},
            },
            [channel.fileno(), control.fileno(), self.output],
        )
        channel.close()
        control.close()
        report, descriptors = self.control.receive()
        assert report == {"report": "init"}, report
        self.init = descriptors[0]
        self.control.send({"go": True})
        self.target = None
        self.ready = False
        while not (self.ready and self.target is not None):
            report, descriptors = self.control.receive()
            if report["report"] == "started":
                self.target = descriptors[0]
            elif report["report"] == "ready":
                self.ready = True
            else:
                raise AssertionError(report)

    def call(self, message, descriptors=()):
        self.channel.send(message, descriptors)
        reply, received = self.channel.receive()
        assert not received
        return reply

    def load(self, source, type="torch", **request):
        python = {"type": type, "source": source, "seed": 1, "device": "cpu", **request}
        return self.call({"op": "load", "python": {"metadata": {}, **python}})

    def loaded(self, source, *args, **request):
        reply = self.load(source, *args, **request)
        assert reply["reply"] == "loaded", reply
        return reply

    def verdict(self, message, descriptors=()):
        """Of a command that must be refused: its name and details."""
        return self.verdict_in(self.call(message, descriptors))

    @staticmethod
    def verdict_in(reply):
        assert reply["reply"] == "refused", reply
        return reply["verdict"]["verdict"], reply["verdict"]["details"]

    def pid(self):
        """Of the kernel's process, as we see it."""
        fields = pathlib.Path(f"/proc/self/fdinfo/{self.target}").read_text().split()
        return int(fields[fields.index("Pid:") + 1])

    def printed(self):
        return os.pread(self.output, 1 << 20, 0).decode()

    def ended(self):
        """How the kernel's process ended, by init's report."""
        report, _ = self.control.receive()
        assert report["report"] == "ended", report
        assert self.gone(), "init outlived its report"
        return report

    def kill(self):
        signal.pidfd_send_signal(self.init, signal.SIGKILL)
        assert self.gone()

    def gone(self, descriptor=None, patience=PATIENCE):
        ready, _, _ = select.select([descriptor or self.init], [], [], patience)
        return bool(ready)

    def close(self):
        try:
            signal.pidfd_send_signal(self.init, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.channel.close()
        self.control.close()
        for descriptor in (self.init, self.target, self.output):
            os.close(descriptor)


DTYPES = {"float32": "f", "float64": "d", "int32": "i", "int64": "q", "uint8": "B", "bool": "B"}


class Arena:
    """Shared memory with tensors one after another."""

    def __init__(self, size=1 << 16):
        self.size = size
        self.descriptor = os.memfd_create("arena")
        os.ftruncate(self.descriptor, size)
        self.memory = mmap.mmap(self.descriptor, size)
        self._next = 0

    def place(self, bytes_needed):
        offset = self._next
        self._next += (bytes_needed + 255) // 256 * 256
        assert self._next <= self.size
        return offset

    def put(self, values, dtype="float32", shape=None):
        """A tensor with these values, as a tree."""
        data = array.array(DTYPES[dtype], values).tobytes()
        offset = self.place(len(data))
        self.memory[offset : offset + len(data)] = data
        return {"k": "tensor", "shape": shape or [len(values)], "dtype": dtype, "offset": offset}

    def get(self, tree, offset=None):
        """The values of a tensor that lies at an offset."""
        offset = tree["offset"] if offset is None else offset
        kind = array.array(DTYPES[tree["dtype"]])
        kind.frombytes(self.memory[offset : offset + math.prod(tree["shape"]) * kind.itemsize])
        return list(kind)

    def give(self, runner, what, *items, restores=(), vary_weights="none"):
        message = {"op": "give", "what": what, "value": {"k": "list", "items": list(items)}}
        return self._send(runner, {**message, "restores": list(restores), "vary_weights": vary_weights})

    def give_state(self, runner, **tensors):
        value = {"k": "dict", "keys": list(tensors), "items": list(tensors.values())}
        return self._send(runner, {"op": "give", "what": "state", "value": value})

    def collect(self, runner, what, tree):
        """The values of every tensor in a tree that was produced."""
        leaves = tensors_in(tree)
        offsets = [self.place(math.prod(leaf["shape"]) * 8) for leaf in leaves]
        reply = self._send(runner, {"op": "collect", "what": what, "offsets": offsets})
        assert reply == {"reply": "done"}, reply
        return [self.get(leaf, offset) for leaf, offset in zip(leaves, offsets)]

    def _send(self, runner, message):
        return runner.call({**message, "arena_size": self.size, "memory": "host"}, [self.descriptor])


def tensors_in(tree):
    if tree["k"] == "tensor":
        return [tree]
    return [leaf for item in tree.get("items", []) for leaf in tensors_in(item)]
