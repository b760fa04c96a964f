"""From a fork of the zygote to a confined process that serves the protocol.

Three processes: the first enters new namespaces and is gone; the second is pid 1 of them, our
trusted init, whose end is the end of everything inside; the third becomes the kernel's.

Init reports on the control socket: `init` with its pidfd, then waits for `go` (the worker has put
it into its control group, and may have given it a user of its own); `started` with the pidfd of the kernel's process; `ended` with that
process' wait status. The kernel's process itself says `ready`, or why it is not (`failed`), before
it closes the socket. Killing init kills all.
"""

from __future__ import annotations

import base64
import os
import signal
import tempfile
from dataclasses import dataclass
from typing import Any, Mapping, NoReturn, Sequence

from assay_runner import confinement, syscalls
from assay_runner.frames import FrameSocket


@dataclass(frozen=True)
class ForkRequest:
    device: str
    limits: confinement.Limits
    filter: bytes
    environment: Mapping[str, str]
    channel: int
    control: int
    output: int

    @staticmethod
    def of(message: Mapping[str, Any], descriptors: Sequence[int]) -> ForkRequest:
        channel, control, output = descriptors
        return ForkRequest(
            device=message["device"],
            limits=confinement.Limits.of(message["limits"]),
            filter=base64.b64decode(message["filter"]),
            environment=message["environment"],
            channel=channel,
            control=control,
            output=output,
        )


def start(request: ForkRequest, parts: frozenset[str]) -> NoReturn:
    control = FrameSocket(request.control)
    try:
        user, group = os.getuid(), os.getgid()
        confinement.enter_namespaces(parts)
        if os.fork() == 0:
            _init(request, parts, control, user, group)
    except BaseException as error:
        _give_up(control, error)
    os._exit(0)


def _give_up(control: FrameSocket, error: BaseException) -> NoReturn:
    try:
        control.send({"report": "failed", "reason": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(1)


def _reset_signals() -> None:
    """The kernel shields pid 1 from the signals it has no handler for, SIGKILL among them."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_DFL)
        except (OSError, ValueError):
            pass  # one of the C library's own


def _restore_signals() -> None:
    """As every Python has them: a broken pipe or a full file is an exception, not the end."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _init(
    request: ForkRequest, parts: frozenset[str], control: FrameSocket, user: int, group: int
) -> NoReturn:
    try:
        _reset_signals()
        if "pid_namespace" not in parts:
            syscalls.become_subreaper()
        control.send({"report": "init"}, [os.pidfd_open(os.getpid())])
        go, _ = control.receive()
        confinement.take_user(parts, user, group, is_mapped=go.get("has_user", False))
        confinement.mount_private(parts, request.limits.tmp_bytes)
        syscalls.drop_privileges()
        syscalls.set_dumpable(False)
        target = os.fork()
        if target == 0:
            _target(request, parts, control)
        os.close(request.channel)  # or the end of the kernel would not close it
        os.close(request.output)
        control.send({"report": "started"}, [os.pidfd_open(target)])
        status, peak = _await(target)
        control.send({"report": "ended", "status": status, "peak_bytes": peak})
    except BaseException as error:
        _give_up(control, error)
    os._exit(0)


def _await(target: int) -> tuple[int, int]:
    while True:
        process, status, usage = os.wait4(-1, 0)  # orphans of the kernel's too
        if process == target:
            return status, usage.ru_maxrss * 1024


def _target(request: ForkRequest, parts: frozenset[str], control: FrameSocket) -> NoReturn:
    code = 1
    try:
        from assay_runner.session import Session

        syscalls.die_with_parent(signal.SIGKILL)
        syscalls.set_dumpable(True)  # init is not; torch and others read their own /proc files
        os.environ.update(request.environment)
        _restore_signals()
        os.chdir("/tmp" if "mount_namespace" in parts else tempfile.mkdtemp())
        channel = _arrange_descriptors(request, control)
        if request.device == "cpu":  # what drivers of GPUs need of it nobody has tried
            confinement.restrict_files()
        session = Session(channel, request.device, request.limits.processes)
        confinement.set_limits(request.limits, limit_memory=request.device == "cpu")
        if request.filter:  # the worker sends none where the kernel has no seccomp
            syscalls.load_filter(request.filter)
        control.send({"report": "ready"})
        control.close()
        code = session.serve()
    except BaseException as error:
        if control.fileno() >= 0:
            _give_up(control, error)
    os._exit(code)


def _arrange_descriptors(request: ForkRequest, control: FrameSocket) -> FrameSocket:
    """Nothing stays open but the channel, control and the standard three."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(request.output, 1)
    os.dup2(request.output, 2)
    kept = sorted({request.channel, control.fileno()})
    low = 3
    for descriptor in kept:
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))
    return FrameSocket(request.channel)
