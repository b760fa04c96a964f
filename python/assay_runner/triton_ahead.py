"""What Triton does before its first kernel on a GPU, done once in the zygote.

Its first compilation hashes Triton's own files and loads half of them, and its driver is a C module
that it compiles: together a second, and none of it touches CUDA.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import driver
from triton.compiler import ASTSource

# Which one matters little: the work that is done once is the same for every architecture.
_TARGET = GPUTarget("cuda", 90, 32)


@triton.jit  # type: ignore[misc]
def _copy(start, to, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(to + at, tl.load(start + at, mask=at < count), mask=at < count)


def compile_one() -> Any:
    """A kernel that nobody needs."""
    parameters = {"start": "*fp32", "to": "*fp32", "count": "i32", "BLOCK": "constexpr"}
    return triton.compile(ASTSource(_copy, parameters, {(3,): 128}), target=_TARGET)


def load_driver() -> None:
    """Children have another file system, and find what is loaded here."""
    build = driver.compile_module_from_src
    loaded: dict[tuple[str, str], ModuleType] = {}

    def build_once(src: str, name: str, **options: Any) -> ModuleType:
        if (src, name) not in loaded:
            loaded[src, name] = build(src=src, name=name, **options)
        return loaded[src, name]

    driver.compile_module_from_src = build_once
    driver.CudaUtils()
