"""The parent of every Python runner: imports once, then forks a child for each request.

It is started by the worker in a jail of its own, with a frame socket as descriptor 3, and answers
on it once, with `hello`. Each request brings three descriptors: the channel that the child serves,
the control socket of its init, and the file for what it prints. It never runs submitted code and
never touches CUDA.
"""

from __future__ import annotations

import os
import signal
import sys

from assay_runner import confinement
from assay_runner.child import ForkRequest, start
from assay_runner.frames import FrameSocket

REQUESTS_DESCRIPTOR = 3


def main() -> None:
    requests = FrameSocket(REQUESTS_DESCRIPTOR)
    try:
        from assay_runner.preload import preload

        versions = preload()
    except Exception as error:
        requests.send({"hello": "failed", "reason": f"{type(error).__name__}: {error}"})
        sys.exit(1)
    parts = confinement.probe()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are reaped by the kernel
    missing = sorted(confinement.PARTS - parts)
    requests.send(
        {
            "hello": "ready",
            "python": ".".join(str(part) for part in sys.version_info[:3]),
            "versions": versions,
            "missing": missing,
        }
    )
    serve(requests, parts)


def serve(requests: FrameSocket, parts: frozenset[str]) -> None:
    """Until the worker closes the socket."""
    while True:
        try:
            message, descriptors = requests.receive()
        except EOFError:
            return
        request = ForkRequest.of(message, descriptors)
        try:
            process = os.fork()
        except OSError as error:
            FrameSocket(request.control).send({"report": "failed", "reason": str(error)})
            process = -1
        if process == 0:
            requests.close()
            start(request, parts)  # does not return
        for descriptor in descriptors:
            os.close(descriptor)
