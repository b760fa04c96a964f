"""The `cpu` device: arenas of shared memory, and the processor's own clock."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import pathlib
from contextlib import nullcontext
from sys import getprofile, gettrace
from time import perf_counter_ns
from typing import Any, Callable, ContextManager

import torch
import torch._inductor.config

from assay_runner import cuda_on_cpu
from assay_runner.verdicts import tampered


def _thread_setters() -> list[Callable[[int], Any]]:
    """torch.set_num_threads also makes a pool for operators that few kernels use, whose threads spin for
    tens of milliseconds before they sleep; these are the parts of it that others use."""
    libraries = pathlib.Path(torch.__file__).parent / "lib"
    torch.get_num_threads()  # now, not over what is set below
    try:
        openmp = ctypes.CDLL(str(next(libraries.glob("libgomp*"))))
        kernels = ctypes.CDLL(str(libraries / "libtorch_cpu.so"))
        return [openmp.omp_set_num_threads, kernels.MKL_Set_Num_Threads_Local]
    except (OSError, AttributeError, StopIteration):  # another build of torch
        return []


_clone = torch._C.TensorBase.clone
_THREAD_SETTERS = _thread_setters()  # in the zygote: children do not see all files


def _use_threads(count: int) -> None:
    for setter in _THREAD_SETTERS:
        setter(count)
    if torch.get_num_threads() != count:
        torch.set_num_threads(count)


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt
_MOST_FROM_HEAP = 32 << 20  # bytes; glibc takes no larger limit


def _keep_memory() -> None:
    """Has the C library keep what a call frees for the next one. Whether it would give it back to the system,
    to be cleared and mapped again within the next call's time, hangs on what else lies in its heap: of two
    processes that run the same kernel one did, at every call, and took 1.8 times as long as the other."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # of glibc
        mallopt(_TRIM_THRESHOLD, (1 << 31) - 1)
        mallopt(_MMAP_THRESHOLD, _MOST_FROM_HEAP)


class HostArena:
    """Memory that the worker owns, mapped here. Tensors are views of it."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._memory = mmap.mmap(descriptor, size) if size > 0 else None
        os.close(descriptor)

    def tensor(self, dtype: torch.dtype, shape: list[int], offset: int) -> torch.Tensor:
        count = math.prod(shape)
        if count == 0:
            return torch.empty(shape, dtype=dtype)
        assert self._memory is not None
        flat = torch.frombuffer(self._memory, dtype=dtype, count=count, offset=offset)
        return flat.view(shape)

    def move(self, start: int, to: int, size: int) -> None:
        assert self._memory is not None
        self._memory.move(to, start, size)

    def close(self) -> None:
        """It goes with the last tensor that looks into it."""


class HostDevice:
    name = "cpu"

    def __init__(self, threads: int) -> None:
        _use_threads(threads)
        _keep_memory()
        # torch.compile: what pays off over many compilations does not in a process that does one.
        torch._inductor.config.cpp_cache_precompile_headers = False
        torch._inductor.config.compile_threads = 1
        cuda_on_cpu.install()

    def open_arena(self, descriptor: int, size: int, memory: str) -> HostArena:
        if memory != "host":
            raise ValueError(f"no arena of {memory} memory on this device")
        return HostArena(descriptor, size)

    def apart(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor

    def place(self, model: torch.nn.Module) -> torch.nn.Module:
        return model

    def making_models(self) -> ContextManager[Any]:
        return nullcontext()

    def making_inputs(self) -> ContextManager[Any] | None:
        """They are made as written."""
        return None

    def synchronize(self) -> None:
        """Nothing runs behind our back, but for threads of the kernel's own."""

    def freeze(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        """As they are now: what such a thread still writes comes too late."""
        return [_clone(tensor) for tensor in tensors]

    def open_range(self, name: str) -> Any:
        """No profiler of GPUs sees what happens here."""

    def close_range(self, opened: Any) -> None:
        pass

    def time(
        self, call: Callable[[], Any], before: Callable[[], None], samples: int, after: Callable[[], None]
    ) -> list[int]:
        """Nanoseconds of each call; `before` runs ahead of each, outside its time, `after` behind the last. That is
        here, because objects that a kernel puts among our variables work when we are left."""
        taken = []
        for _ in range(samples):
            before()
            start = perf_counter_ns()
            call()
            is_watched = getprofile() is not None or gettrace() is not None  # such a function may take itself away
            taken.append(perf_counter_ns() - start)
            if is_watched:
                raise tampered("patched", "the kernel replaced what happens at every call of a function (sys.setprofile, "
                               "sys.settrace), which could work when its time has been taken")
        after()
        return taken
