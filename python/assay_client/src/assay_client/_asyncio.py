"""Streams of an event loop."""
from __future__ import annotations

import asyncio
from typing import Awaitable, TypeVar

from ._http import LINE_LIMIT, Endpoint, Stream

T = TypeVar("T")


async def _within(timeout: float, what: Awaitable[T]) -> T:
    try:
        return await asyncio.wait_for(what, timeout)
    except asyncio.TimeoutError as error:  # no TimeoutError before Python 3.11
        raise TimeoutError(f"silent for {timeout:g} s") from error


class AsyncioStream:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def readline(self, timeout: float) -> bytes:
        try:
            return await _within(timeout, self._reader.readline())
        except ValueError as error:
            raise ConnectionError("a line of the answer is too long") from error

    async def read(self, limit: int, timeout: float) -> bytes:
        return await _within(timeout, self._reader.read(limit))

    async def close(self) -> None:
        # Not awaited: the other side has nothing to say any more, and a task that is being
        # cancelled must not wait for it.
        self._writer.close()


class AsyncioConnector:
    async def connect(self, endpoint: Endpoint, timeout: float) -> Stream:
        reader, writer = await _within(timeout, asyncio.open_connection(
            endpoint.host, endpoint.port, limit=LINE_LIMIT, ssl=endpoint.tls))
        return AsyncioStream(reader, writer)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
