"""Headers that an author wrote beside the sources of an extension, put into those sources.

They exist in the author's process alone, where no compiler runs.
"""

from __future__ import annotations

import pathlib
import re
import sys
from typing import Sequence

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">].*$', re.MULTILINE)
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b.*$", re.MULTILINE)
_INSTALLED = (pathlib.Path("/usr"), pathlib.Path("/opt"), pathlib.Path(sys.prefix))
_DEEPEST = 32  # includes in includes: a header that includes itself for ever ends here


def with_own_headers(path: pathlib.Path, text: str, directories: Sequence[str]) -> str:
    """`text`, which is that of the file, with the headers that it includes from its own directory
    or from `directories`, unless they are installed, in place of their #include."""
    found = [pathlib.Path(directory).resolve() for directory in directories]
    own = [path.parent.resolve(), *found]
    places = [place for place in own if not any(place.is_relative_to(at) for at in _INSTALLED)]
    return _Includer(places).expanded(path.name, text, 0)


class _Includer:
    def __init__(self, places: Sequence[pathlib.Path]) -> None:
        self._places = places
        self._once: set[pathlib.Path] = set()  # seen, and not to be included again

    def expanded(self, name: str, text: str, depth: int) -> str:
        parts = []
        end = 0
        for include in _INCLUDE.finditer(text):
            header = self._find(include[1]) if depth < _DEEPEST else None
            if header is None:
                continue
            next_line = text.count("\n", 0, include.end()) + 2
            parts += [text[end : include.start()], self._content(header, depth)]
            parts.append(f'\n#line {next_line} "{name}"')
            end = include.end()
        return "".join(parts) + text[end:]

    def _find(self, wanted: str) -> pathlib.Path | None:
        for place in self._places:
            header = (place / wanted).resolve()
            if header.is_file():
                return header
        return None

    def _content(self, header: pathlib.Path, depth: int) -> str:
        if header in self._once:
            return ""
        text = header.read_text(encoding="utf-8")
        if _ONCE.search(text):
            self._once.add(header)
            text = _ONCE.sub("", text)
        return f'#line 1 "{header.name}"\n' + self.expanded(header.name, text, depth + 1)
