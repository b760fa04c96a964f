"""The worker's side of the protocol, for tests: a real zygote, real children."""

from __future__ import annotations

import base64
import mmap
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import time

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


class Zygote:
    def __init__(self, python, environment=()):
        self.requests, theirs = pair()
        command = [python, "-E", "-s", "-c", self._bootstrap(theirs.fileno()), ]
        self.process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": "/tmp",
                "LANG": "C.UTF-8",
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
                "MKL_NUM_THREADS": "1",
                "TRITON_INTERPRET": "1",
                **dict(environment),
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


class Arena:
    def __init__(self, size):
        self.size = size
        self.descriptor = os.memfd_create("arena")
        os.ftruncate(self.descriptor, size)
        self.memory = mmap.mmap(self.descriptor, size)
