"""The `cuda` device: arenas of its memory, and time by its own events."""

from __future__ import annotations

from typing import Any, Callable

import torch

from assay_runner.cuda_memory import CudaArena, Driver
from assay_runner.host_device import HostArena

_NANOSECONDS = 1e6  # in the milliseconds that events tell


class CudaDevice:
    name = "cuda"

    def __init__(self) -> None:
        """Makes the context and the libraries' handles: this runs while nobody waits for it."""
        torch.cuda.init()
        ones = torch.ones(16, 16).cuda()
        torch.relu(ones @ ones + ones).sum().item()
        cache = torch.cuda.get_device_properties(0).L2_cache_size
        self._flush = torch.empty(max(2 * cache, 1), dtype=torch.int8, device="cuda")
        self._driver = Driver(device=0)
        torch.cuda.synchronize()

    def open_arena(self, descriptor: int, size: int, memory: str) -> CudaArena | HostArena:
        if memory == "cuda":
            return CudaArena(self._driver, descriptor, size)
        return HostArena(descriptor, size)

    def place(self, model: torch.nn.Module) -> torch.nn.Module:
        return model.cuda()

    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def time(self, call: Callable[[], Any], before: Callable[[], None], samples: int) -> list[int]:
        """Nanoseconds of each call, from a cache that holds nothing of its inputs; `before` runs
        ahead of each, outside its time."""
        starts = [torch.cuda.Event(enable_timing=True) for _ in range(samples)]
        ends = [torch.cuda.Event(enable_timing=True) for _ in range(samples)]
        for start, end in zip(starts, ends):
            before()
            self._flush.zero_()
            start.record()
            call()
            end.record()
        torch.cuda.synchronize()
        return [round(start.elapsed_time(end) * _NANOSECONDS) for start, end in zip(starts, ends)]
