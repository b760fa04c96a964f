"""Triton where there is no GPU: its interpreter, and a driver for kernels that ask about one."""

from __future__ import annotations

import functools
import os
from types import ModuleType, SimpleNamespace
from typing import Any, Callable

import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.runtime import driver, interpreter
from triton.runtime.autotuner import Autotuner

from assay_runner import cuda_graphs_on_cpu, triton_bfloat16, triton_float8, triton_libdevice

_TARGET = GPUTarget("cuda", 80, 32)


class _Driver:
    """What source code asks the active driver for, as an A100 would answer."""

    def __init__(self) -> None:
        self.utils = SimpleNamespace(get_device_properties=self._properties)

    @staticmethod
    def _properties(device: int) -> dict[str, int]:
        return {
            "multiprocessor_count": os.cpu_count() or 1,
            "max_shared_mem": 166912,
            "max_num_regs": 65536,
            "warpSize": 32,
            "sm_clock_rate": 1410000,
            "mem_clock_rate": 1215000,
            "mem_bus_width": 5120,
        }

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return _TARGET

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        return torch.cuda

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        return torch.empty(1, dtype=torch.int32)

    def clear_cache(self, cache: torch.Tensor) -> None:
        """What is in the caches says nothing of a GPU."""

    def get_benchmarker(self) -> Callable[..., Any]:
        from triton.testing import do_bench

        return do_bench  # type: ignore[no-any-return]


def _every_configuration_alike(
    self: Autotuner, *args: Any, config: Any, **meta: Any
) -> list[float]:
    """What is fast in the interpreter says nothing of a GPU, so the first configuration wins."""
    return [0.0, 0.0, 0.0]


class _Lasting:
    """What the interpreter would undo after a kernel, and do again for the next."""

    def restore(self) -> None:
        pass


def keep_language_patched() -> None:
    """The interpreter replaces the words of triton.language for every kernel and every function that
    one calls: half of its time. In a process that only interprets, once is enough."""
    patch = interpreter._patch_lang
    seen: set[Callable[..., Any]] = set()
    patched: set[frozenset[str]] = set()

    def patch_once(function: Callable[..., Any]) -> _Lasting:
        if function not in seen:
            visible = [value for value in function.__globals__.values() if isinstance(value, ModuleType)]
            languages = frozenset(module.__name__ for module in (tl, tl.core) if module in visible)
            if languages not in patched:
                patch(function)
                patched.add(languages)
            seen.add(function)
        return _Lasting()

    interpreter._patch_lang = patch_once


@triton.jit  # type: ignore[misc]
def _normalise(start, to, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.arange(0, BLOCK)
    x = tl.load(start + tl.program_id(0) * BLOCK + at, mask=at < count, other=0.0)
    x = tl.exp(x - tl.max(x, axis=0))
    tl.store(to + at, tl.where(x > 0, x / tl.sum(x, axis=0), tl.zeros([BLOCK], tl.float32)), mask=at < count)


def interpret_one() -> torch.Tensor:
    """A kernel that nobody needs: the functions of triton.language that it calls are rewritten once."""
    x = torch.zeros(8)
    _normalise[(1,)](x, x, 8, BLOCK=8)
    return x


def _run_or_capture(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not cuda_graphs_on_cpu.captured(lambda: real(self, *args, **kwargs)):
            return real(self, *args, **kwargs)

    return run


def install() -> None:
    function = interpreter.InterpretedFunction
    function.run = _run_or_capture(function.run)
    Autotuner._bench = _every_configuration_alike
    driver.set_active(_Driver())
    triton_bfloat16.install()
    triton_float8.install()
    triton_libdevice.install()
