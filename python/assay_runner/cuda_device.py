"""The `cuda` device: arenas of its memory, and time by its own events."""

from __future__ import annotations

from typing import Any, Callable, ContextManager

import torch

from assay_runner.cuda_memory import CudaArena, Driver
from assay_runner.gate import Gate, GateMemory, load_library
from assay_runner.host_device import HostArena
from assay_runner.large_tensors import FilledByGpu
from assay_runner.verdicts import unsupported

# As they are before any kernel can replace them.
_open_range = torch.cuda.nvtx.range_start
_close_range = torch.cuda.nvtx.range_end

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
        self._gate_library = load_library()
        self._gate: Gate | None = None
        torch.cuda.synchronize()

    def open_arena(self, descriptor: int, size: int, memory: str) -> CudaArena | HostArena:
        if memory == "cuda":
            return CudaArena(self._driver, descriptor, size)
        return HostArena(descriptor, size)

    def apart(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.cpu().clone().to(tensor.device)

    def place(self, model: torch.nn.Module) -> torch.nn.Module:
        return model.cuda()

    def making_inputs(self) -> ContextManager[Any] | None:
        """Has torch make tensors on the device where the source names no other."""
        made: ContextManager[Any] = torch.device("cuda")
        return made

    def making_models(self) -> ContextManager[Any]:
        made: ContextManager[Any] = FilledByGpu()
        return made

    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def open_range(self, name: str) -> Any:
        """A range of all threads, for a profiler around this process."""
        return _open_range(name)

    def close_range(self, opened: Any) -> None:
        _close_range(opened)

    def arm(self, message: dict[str, Any], descriptors: list[int], arena: CudaArena) -> None:
        """Prepares for rounds over what lies in `arena`."""
        page, image, *files = descriptors
        sizes = [message[f"{name}_size"] for name in ("ledger", "sweep", "vault")]
        memory = [CudaArena(self._driver, file, size) for file, size in zip(files, sizes)]
        addresses = [part.address for part in memory]
        vault = addresses[2] if len(addresses) > 2 else 0
        where = GateMemory(addresses[0], addresses[1], vault, arena.address)
        self._gate = Gate(self._gate_library, message, page, image, where)

    @property
    def gate(self) -> Gate:
        if self._gate is None:
            raise unsupported("the clock was not set up")
        return self._gate

    def freeze(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        """They are as they stay: all work is done, and a copy might not fit."""
        return tensors

    def time(
        self, call: Callable[[], Any], before: Callable[[], None], samples: int, after: Callable[[], None]
    ) -> list[int]:
        """Nanoseconds of each call, from a cache that holds nothing of its inputs; `before` runs
        ahead of each, outside its time, `after` behind the last."""
        starts = [torch.cuda.Event(enable_timing=True) for _ in range(samples)]
        ends = [torch.cuda.Event(enable_timing=True) for _ in range(samples)]
        for start, end in zip(starts, ends):
            before()
            self._flush.zero_()
            start.record()
            call()
            end.record()
        torch.cuda.synchronize()
        after()
        return [round(start.elapsed_time(end) * _NANOSECONDS) for start, end in zip(starts, ends)]
