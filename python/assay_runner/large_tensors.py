"""Fills large tensors of the host with random numbers that a GPU makes: torch takes seconds for each gigabyte."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_LARGE = 1 << 24  # elements
_FILLS = (torch.ops.aten.uniform_.default, torch.ops.aten.normal_.default)
_MAKES = (torch.ops.aten.rand.default, torch.ops.aten.randn.default)


class FilledByGpu(TorchDispatchMode):  # type: ignore[misc]
    """Around the making of models: their weights stay where their source puts them."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if func in _FILLS and _is_worth_it(args[0]) and not given.get("generator"):
            try:
                filled = func(torch.empty_like(args[0], device="cuda"), *args[1:], **given)
                return args[0].copy_(filled)
            except torch.cuda.OutOfMemoryError:
                pass
        if func in _MAKES and math.prod(args[0]) >= _LARGE and _is_host(given.get("device")):
            try:
                return func(*args, **{**given, "device": "cuda", "pin_memory": False}).cpu()
            except torch.cuda.OutOfMemoryError:
                pass
        return func(*args, **given)


def _is_worth_it(tensor: torch.Tensor) -> bool:
    return bool(_is_host(tensor.device) and tensor.numel() >= _LARGE)


def _is_host(device: torch.device | None) -> bool:
    return device is None or device.type == "cpu"
