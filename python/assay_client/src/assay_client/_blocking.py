"""Streams that block, and what runs coroutines over them to their end."""
from __future__ import annotations

import socket
import time
from typing import Any, AsyncGenerator, Coroutine, Iterator, TypeVar

from ._http import LINE_LIMIT, Endpoint, Stream

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing but blocking streams.

    No event loop takes part, so this works inside of one too (a notebook).
    """
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("a blocking stream must not suspend")


def iterate(generator: AsyncGenerator[T, None]) -> Iterator[T]:
    async def following() -> T:
        return await generator.__anext__()

    try:
        while True:
            try:
                item = run(following())
            except StopAsyncIteration:
                return
            yield item
    finally:
        run(_close(generator))


async def _close(generator: AsyncGenerator[Any, None]) -> None:
    await generator.aclose()


class BlockingStream:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._file = connection.makefile("rb")

    async def write(self, data: bytes) -> None:
        self._connection.sendall(data)

    async def readline(self, timeout: float) -> bytes:
        self._connection.settimeout(timeout)
        try:
            return self._file.readline(LINE_LIMIT)
        except socket.timeout as error:  # no TimeoutError before Python 3.10
            raise TimeoutError(f"silent for {timeout:g} s") from error

    async def read(self, limit: int, timeout: float) -> bytes:
        self._connection.settimeout(timeout)
        try:
            return self._file.read1(limit)
        except socket.timeout as error:
            raise TimeoutError(f"silent for {timeout:g} s") from error

    async def close(self) -> None:
        self._file.close()
        self._connection.close()


class BlockingConnector:
    async def connect(self, endpoint: Endpoint, timeout: float) -> Stream:
        connection = socket.create_connection((endpoint.host, endpoint.port), timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if endpoint.tls:
            try:
                connection = endpoint.tls.wrap_socket(connection, server_hostname=endpoint.host)
            except BaseException:
                connection.close()
                raise
        return BlockingStream(connection)

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
