"""What Triton compiled, as one file that the worker keeps for the next runner of the same source.

Triton names its files by all that machine code depends on: what no longer fits is not looked at.
"""

from __future__ import annotations

import io
import os
import pathlib
import shutil
import zipfile
import zlib


def default_directory() -> pathlib.Path:
    """Triton's own choice, which the paths in its files repeat: it must be the same every time."""
    return pathlib.Path.home() / ".triton" / "cache"


class TritonCache:
    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory
        self._given: set[str] = set()

    def unpack(self, container: int) -> None:
        """One that cannot be read is as good as none: Triton compiles again."""
        try:
            with os.fdopen(container, "rb") as file, zipfile.ZipFile(file) as archive:
                archive.extractall(self._directory)
                self._given = set(archive.namelist())
        except (OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error):
            shutil.rmtree(self._directory, ignore_errors=True)

    def pack(self, memory: int) -> int:
        """Writes all there is and returns its size; nothing, and zero, where all of it was given or
        it is more than the memory holds."""
        files = self._files()
        sizes = sum(os.path.getsize(path) for path in files.values())
        if files.keys() <= self._given or sizes > os.fstat(memory).st_size:
            return 0
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, path in files.items():
                archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
        with packed.getbuffer() as content:
            if len(content) > os.fstat(memory).st_size:
                return 0
            written = 0
            while written < len(content):
                written += os.pwrite(memory, content[written:], written)
            return written

    def _files(self) -> dict[str, pathlib.Path]:
        found = {}
        for path in sorted(self._directory.rglob("*")):
            if path.is_file() and not path.is_symlink():
                found[path.relative_to(self._directory).as_posix()] = path
        return found
