"""HTTP/1.1 over a stream of bytes: one request, one answer, one connection.

Written once for both clients: every function is a coroutine, and over a blocking stream a
coroutine runs to its end without ever being suspended (`_blocking.run`). A connection is not
kept for the next request, because a job lasts far longer than a handshake and a kept connection
may have been closed by the other side.
"""
from __future__ import annotations

import email.message
import http.client
import io
import ssl
from dataclasses import dataclass, field
from typing import AsyncIterator, Callable, Mapping, Optional, Protocol
from urllib.parse import urlsplit

LINE_LIMIT = 1 << 20
Patience = Callable[[], float]  # seconds that the next byte may take from now on


class Stream(Protocol):
    """A connection. Fails with OSError, and with TimeoutError after `timeout` silent seconds."""

    async def write(self, data: bytes) -> None: ...

    async def readline(self, timeout: float) -> bytes:
        """Through the next newline; less at the end of the stream, and in a line too long."""

    async def read(self, limit: int, timeout: float) -> bytes:
        """At least one byte, at most `limit`; none at the end of the stream."""

    async def close(self) -> None: ...


class Connector(Protocol):
    """How a client reaches its server and lets time pass."""

    async def connect(self, endpoint: Endpoint, timeout: float) -> Stream: ...

    async def sleep(self, seconds: float) -> None: ...


@dataclass(frozen=True)
class Endpoint:
    host: str
    port: int
    tls: Optional[ssl.SSLContext]  # None: not encrypted
    prefix: str  # of every path: the server may live below one

    @staticmethod
    def parse(base_url: str, tls: Optional[ssl.SSLContext] = None) -> Endpoint:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{base_url!r} is no http:// or https:// address")
        prefix = parts.path.rstrip("/")
        if parts.scheme == "http":
            return Endpoint(parts.hostname, parts.port or 80, None, prefix)
        return Endpoint(parts.hostname, parts.port or 443, tls or ssl.create_default_context(),
                        prefix)

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Optional[bytes] = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def encode(self, endpoint: Endpoint) -> bytes:
        lines = [f"{self.method} {endpoint.prefix}{self.path} HTTP/1.1",
                 f"Host: {endpoint.authority}", "Connection: close"]
        if self.body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(self.body)}"]
        for name, value in self.headers.items():
            if "\r" in value or "\n" in value:
                raise ValueError(f"the header {name} holds a line break")
            lines.append(f"{name}: {value}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + (self.body or b"")


class Reply:
    """An answer whose head has arrived."""

    def __init__(self, stream: Stream, status: int, headers: email.message.Message,
                 timeout: Patience) -> None:
        self._stream = stream
        self._timeout = timeout
        self.status = status
        self.headers = headers

    async def body(self) -> bytes:
        return b"".join([piece async for piece in self.pieces()])

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes. Fails with ConnectionError if it ends before its own end."""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            async for piece in self._chunks():
                yield piece
        elif self.headers.get("Content-Length") is not None:
            async for piece in self._exactly(int(self.headers["Content-Length"])):
                yield piece
        else:
            while piece := await self._stream.read(1 << 16, self._timeout()):
                yield piece

    async def close(self) -> None:
        await self._stream.close()

    async def _chunks(self) -> AsyncIterator[bytes]:
        while True:
            size = _chunk_size(await self._stream.readline(self._timeout()))
            async for piece in self._exactly(size):
                yield piece
            if size == 0:
                while (await self._stream.readline(self._timeout())).strip():
                    pass  # trailers
                return
            await self._stream.readline(self._timeout())  # the line end behind a chunk

    async def _exactly(self, count: int) -> AsyncIterator[bytes]:
        while count > 0:
            piece = await self._stream.read(min(count, 1 << 16), self._timeout())
            if not piece:
                raise ConnectionError("the connection ended in the middle of an answer")
            count -= len(piece)
            yield piece


async def exchange(connector: Connector, endpoint: Endpoint, request: Request,
                   timeout: Patience) -> Reply:
    """Sends a request and reads the head of its answer; the caller closes the reply."""
    stream = await connector.connect(endpoint, timeout())
    try:
        try:
            await stream.write(request.encode(endpoint))
        except (BrokenPipeError, ConnectionResetError):
            pass  # who refuses a body that is too large answers before it has read it all
        while True:
            status = _status(await stream.readline(timeout()))
            headers = await _headers(stream, timeout)
            if status >= 200:  # the others announce the answer that follows them
                return Reply(stream, status, headers, timeout)
    except BaseException:
        await stream.close()
        raise


def _status(line: bytes) -> int:
    words = line.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise ConnectionError(f"no HTTP answer but {line[:80]!r}")
    return int(words[1])


async def _headers(stream: Stream, timeout: Patience) -> email.message.Message:
    text = b""
    while line := await stream.readline(timeout()):
        text += line
        if line in (b"\r\n", b"\n"):
            return http.client.parse_headers(io.BytesIO(text))
        if len(text) > LINE_LIMIT:
            break
    raise ConnectionError("the head of the answer has no end")


def _chunk_size(line: bytes) -> int:
    try:
        return int(line.split(b";")[0], 16)
    except ValueError:
        raise ConnectionError(f"no chunk of an answer but {line[:80]!r}") from None
