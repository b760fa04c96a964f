"""Stands in for the compiler behind torch's load_inline and load.

What a kernel wants compiled is compiled outside: it is run to learn which calls it makes, and
again, in another process, with their results.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import struct
import sys
import types
from contextlib import nullcontext
from typing import Any, ContextManager, Mapping, NamedTuple, Sequence

import torch
import torch.utils.cpp_extension

from assay_runner import verdicts
from assay_runner.failures import BuildNeeded
from assay_runner.host_launches import HostLaunches
from assay_runner.own_headers import with_own_headers

Call = dict[str, Any]

_MAGIC = b"ASSAYEXT"
_ENTRY = struct.Struct("<64s8sQQ")  # key, role, offset, size
_CUDA_SUFFIXES = (".cu", ".cuh")
_NAME = "TORCH_EXTENSION_NAME"
_MODULE = re.compile(rf"\bPYBIND11_MODULE\s*\(\s*{_NAME}\s*,")
_INCLUDES = re.compile(
    r"\A(#include <torch/types\.h>\n#include <cuda\.h>\n#include <cuda_runtime\.h>\n"
    r"|#include <torch/extension\.h>\n)"
)
_RANDOM = re.compile(r"(?=[a-f]*\d)[0-9a-f]{6,}|\d{4,}")


def describe_call(
    name: str,
    sources: Sequence[str] | str,
    cflags: Sequence[str] | None,
    cuda_cflags: Sequence[str] | None,
    python_module: bool,
    inline: bool = False,
    include_paths: Sequence[str] = (),
) -> Call:
    """`inline`: load_inline wrote the sources, with includes of its own."""
    paths = [sources] if isinstance(sources, str) else list(sources)
    described = [
        {
            "name": pathlib.Path(path).name,
            "text": _text_of(pathlib.Path(path), inline, include_paths),
            "cuda": str(path).endswith(_CUDA_SUFFIXES),
        }
        for path in paths
    ]
    call: Call = {
        "name": _lasting(name, described) if python_module else name,
        "sources": described,
        "cflags": _flags(cflags),
        "cuda_cflags": _flags(cuda_cflags),
        "python_module": python_module,
    }
    call["key"] = hashlib.sha256(json.dumps(call, sort_keys=True).encode()).hexdigest()
    return call


def _text_of(path: pathlib.Path, inline: bool, include_paths: Sequence[str]) -> str:
    text = path.read_text(encoding="utf-8")
    includes = _INCLUDES.match(text) if inline else None
    if includes is None:
        return with_own_headers(path, text, include_paths)
    # Compilers shall count the author's lines, not those that load_inline puts before them.
    authors = with_own_headers(path, text[includes.end() :], include_paths)
    return f"{includes[0]}#line 1\n{authors}"


def _lasting(name: str, sources: Sequence[Mapping[str, Any]]) -> str:
    """The name without what looks like a time or a random number, which would make it another
    extension whenever it is asked for; where only the module itself is called by the name."""
    for text in (source["text"] for source in sources):
        if name in text or text.count(_NAME) != len(_MODULE.findall(text)):
            return name
    return _RANDOM.sub("", name) or "extension"


def _flags(given: Sequence[str] | None) -> list[str]:
    return [flag for flag in given or [] if flag]  # [""] is how many say "none"


class Extensions:
    """Takes the place of torch.utils.cpp_extension's compiler; notes the calls it cannot answer."""

    def __init__(self) -> None:
        self.missing: list[Call] = []

    def install(self) -> None:
        torch.utils.cpp_extension._jit_compile = self._jit_compile

    def _jit_compile(
        self,
        name: str,
        sources: Sequence[str] | str,
        extra_cflags: Sequence[str] | None,
        extra_cuda_cflags: Sequence[str] | None,
        *others: Any,
        **options: Any,
    ) -> Any:
        signature = _PARAMETERS[: len(others)]
        options = {**dict(zip(signature, others)), **options}
        if options.get("is_standalone"):
            raise verdicts.unsupported("load(..., is_standalone=True) makes a program, not a kernel")
        python_module = bool(options.get("is_python_module", True))
        caller = sys._getframe(1)
        inline = caller.f_code.co_name == "load_inline" and not caller.f_locals.get(
            "no_implicit_headers"
        )
        call = describe_call(
            name,
            sources,
            extra_cflags,
            extra_cuda_cflags,
            python_module,
            inline,
            options.get("extra_include_paths") or (),
        )
        result = self.result(call)
        if python_module:
            sys.modules.setdefault(name, result)
        return result

    def result(self, call: Call) -> Any:
        if all(call["key"] != known["key"] for known in self.missing):
            self.missing.append(call)
        return _Unbuilt(call["name"])


# The parameters of torch's own function after those named above.
_PARAMETERS = tuple(torch.utils.cpp_extension._jit_compile.__code__.co_varnames[4:])


class _Unbuilt(types.ModuleType):
    """Given back for what is not built: good for being named, so that a kernel can go on and ask
    for all it wants, not for being used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def not_yet(*args: Any, **kwargs: Any) -> Any:
            raise BuildNeeded(self.__name__)

        return not_yet


def _unlinked(message: str, path: str, name: str) -> str:
    """As the author knows it: without the path, and with functions as they are written."""
    what, separator, symbol = message.replace(path, f"extension '{name}'").rpartition(": ")
    return f"{what}{separator}{torch._C._demangle(symbol)}"


class _Place(NamedTuple):
    container: int
    offset: int
    size: int


class Built(Extensions):
    """Gives back what was built, from containers that the worker passed in."""

    def __init__(
        self, containers: Sequence[int], support: int | None, sanitize: Sequence[str], seed: int
    ) -> None:
        super().__init__()
        self._entries: dict[tuple[str, str], _Place] = {}
        self._kept: list[Any] = []  # what extensions refer to as long as they live
        self._loaded: dict[tuple[str, str], Any] = {}
        self._support = support
        self._launch_options = (sanitize, seed)
        self._launches: HostLaunches | None = None
        for container in containers:
            self._read_entries(container)

    def _read_entries(self, container: int) -> None:
        head = os.pread(container, len(_MAGIC) + 4, 0)
        if head[: len(_MAGIC)] != _MAGIC:
            raise ValueError("not a container of extensions")
        (count,) = struct.unpack_from("<I", head, len(_MAGIC))
        table = os.pread(container, count * _ENTRY.size, len(head))
        for key, role, offset, size in _ENTRY.iter_unpack(table):
            place = _Place(container, offset, size)
            self._entries[key.decode(), role.rstrip(b"\0").decode()] = place

    def result(self, call: Call) -> Any:
        key = call["key"]
        if (key, "library") not in self._entries:
            return super().result(call)
        which = key, call["name"]
        if which not in self._loaded:  # some ask at every call, and files of a process are few
            self._loaded[which] = self._load(call, key)
        return self._loaded[which]

    def _load(self, call: Call, key: str) -> Any:
        self._load_support()
        path = self._extract(self._entries[key, "library"])
        if (key, "image") in self._entries:
            self._give_device_side(path, key)
        if not call["python_module"]:
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)  # torch's own looks for the file's real name
            return path
        loader = importlib.machinery.ExtensionFileLoader(call["name"], path)
        spec = importlib.util.spec_from_file_location(call["name"], path, loader=loader)
        assert spec is not None
        try:
            module = importlib.util.module_from_spec(spec)
            loader.exec_module(module)
        except ImportError as error:
            raise ImportError(_unlinked(str(error), path, call["name"])) from None
        return module

    def _load_support(self) -> None:
        """The library that extensions are linked with is found by its name once it is loaded."""
        if self._support is not None and self._launches is None:
            library = ctypes.CDLL(f"/proc/self/fd/{self._support}", mode=ctypes.RTLD_GLOBAL)
            self._launches = HostLaunches(library, *self._launch_options)

    def watched(self) -> ContextManager[None]:
        """Around what may launch kernels: what was found in them becomes a Refusal."""
        return nullcontext() if self._launches is None else self._launches.watched()

    def _give_device_side(self, path: str, key: str) -> None:
        """Kernels that were compiled apart from the library that launches them."""
        image, names = (self._read(self._entries[key, role]) for role in ("image", "names"))
        self._kept.append(image)
        ctypes.CDLL(path).assay_gpu_module(image, names)

    @staticmethod
    def _read(place: _Place) -> bytes:
        return os.pread(place.container, place.size, place.offset)

    @staticmethod
    def _extract(place: _Place) -> str:
        file = os.memfd_create("extension")
        offset, size = place.offset, place.size
        while size > 0:
            copied = os.sendfile(file, place.container, offset, size)
            offset += copied
            size -= copied
        return f"/proc/self/fd/{file}"
