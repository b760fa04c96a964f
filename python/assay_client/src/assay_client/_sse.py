"""Server-sent events, from the pieces of a body."""
from __future__ import annotations

from typing import Dict, Iterator, List, Tuple


class EventParser:
    """Takes bytes as they come and gives the fields of each event that is complete."""

    def __init__(self) -> None:
        self._rest = b""
        self._lines: List[Tuple[str, str]] = []

    def feed(self, piece: bytes) -> Iterator[Dict[str, str]]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for raw in lines:
            line = raw.decode("utf-8", "replace").rstrip("\r")
            if not line:
                if self._lines:
                    yield self._take()
            elif not line.startswith(":"):  # a comment keeps the connection awake
                name, _, value = line.partition(":")
                self._lines.append((name, value[1:] if value.startswith(" ") else value))

    def _take(self) -> Dict[str, str]:
        event: Dict[str, str] = {}
        for name, value in self._lines:
            event[name] = f"{event['data']}\n{value}" if name == "data" and name in event else value
        self._lines = []
        return event
