"""Triton where there is no GPU: its interpreter, and a driver for kernels that ask about one."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import torch
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner

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


def _every_configuration_alike(
    self: Autotuner, *args: Any, config: Any, **meta: Any
) -> list[float]:
    """What is fast in the interpreter says nothing of a GPU, so the first configuration wins."""
    return [0.0, 0.0, 0.0]


def install() -> None:
    Autotuner._bench = _every_configuration_alike
    driver.set_active(_Driver())
