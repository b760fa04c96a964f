"""Frames between the worker and us: a length (32 bits, little endian), then that much JSON.

Descriptors travel with the first byte of a frame.
"""

from __future__ import annotations

import array
import json
import socket
import struct
from typing import Any, Sequence

LIMIT = 4 << 20  # the worker reads no longer frame
_MAX_DESCRIPTORS = 64
_LENGTH = struct.Struct("<I")
_ANCILLARY_SIZE = socket.CMSG_SPACE(_MAX_DESCRIPTORS * array.array("i").itemsize)


class FrameTooLong(Exception):
    """What was to be sent does not fit a frame."""


class FrameSocket:
    """One end of a stream socket; both directions block."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.setblocking(True)

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        # Half a surrogate pair, which a str may hold, is no text that the worker reads.
        body = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode(
            errors="replace"
        )
        if len(body) > LIMIT:
            raise FrameTooLong(f"{len(body)} bytes")
        frame = _LENGTH.pack(len(body)) + body
        ancillary = []
        if descriptors:
            rights = array.array("i", descriptors)
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
        sent = self._socket.sendmsg([frame], ancillary, socket.MSG_NOSIGNAL)
        if sent < len(frame):
            self._socket.sendall(frame[sent:], socket.MSG_NOSIGNAL)

    def receive(self) -> tuple[dict[str, Any], list[int]]:
        """Raises EOFError when the peer has closed."""
        descriptors: list[int] = []
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size, descriptors))
        return json.loads(self._read(length, descriptors)), descriptors

    def _read(self, count: int, descriptors: list[int]) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            data, ancillary, _, _ = self._socket.recvmsg(
                min(count - len(parts), 1 << 20), _ANCILLARY_SIZE, socket.MSG_CMSG_CLOEXEC
            )
            for level, kind, rights in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    received = array.array("i")
                    received.frombytes(rights[: len(rights) - len(rights) % received.itemsize])
                    descriptors.extend(received)
            if not data:
                raise EOFError("the peer has closed")
            parts += data
        return bytes(parts)
