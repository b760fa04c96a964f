"""Standard output and error, which go to a file that cannot grow."""

from __future__ import annotations

import io
import os
import sys
from typing import Any


class _Unfailing(io.RawIOBase):
    """Drops what no longer fits: a kernel that prints much is no worse for it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        try:
            os.write(self._descriptor, data)
        except OSError:
            pass
        return len(data)


def _stream(descriptor: int) -> io.TextIOWrapper:
    # By lines, because what a crash leaves in a buffer is lost.
    buffer = io.BufferedWriter(_Unfailing(descriptor))
    return io.TextIOWrapper(buffer, "utf-8", "backslashreplace", line_buffering=True)


def redirect() -> None:
    sys.stdout, sys.stderr = _stream(1), _stream(2)
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # the kernel has closed or replaced it
            pass
