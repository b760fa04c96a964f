"""Operators that a source registers for CUDA, where its tensors are really on the processor."""

from __future__ import annotations

import functools
from typing import Any, Callable

import torch
import torch.library
from torch._library.custom_ops import CustomOpDef

_HERE = {"cuda": "cpu", "CUDA": "CPU", "AutogradCUDA": "AutogradCPU"}


def _here(devices: Any) -> Any:
    if isinstance(devices, str):
        return _HERE.get(devices, devices)
    if isinstance(devices, (list, tuple)):
        return list(dict.fromkeys(map(_here, devices)))
    return devices


def install(asked_by_kernel: Callable[[], bool]) -> None:
    def at(owner: Any, name: str, *places: int | str) -> None:
        """The arguments that name devices, by place or by keyword."""
        real = getattr(owner, name)

        @functools.wraps(real)
        def register(*args: Any, **kwargs: Any) -> Any:
            if asked_by_kernel():
                args = tuple(_here(arg) if place in places else arg for place, arg in enumerate(args))
                kwargs = {name: _here(arg) if name in places else arg for name, arg in kwargs.items()}
            return real(*args, **kwargs)

        setattr(owner, name, register)

    library: Any = torch.library
    at(library, "custom_op", "device_types")
    at(library, "register_kernel", 1)
    at(library, "impl", 1, "types", 2, "dispatch_key")  # its new form and the old one
    at(library.Library, "__init__", 3, "dispatch_key")
    at(library.Library, "impl", 3, "dispatch_key")
    at(CustomOpDef, "register_kernel", 1)
