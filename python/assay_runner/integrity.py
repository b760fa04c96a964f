"""Whether the functions that read answers and take times still are the ones we began with."""

from __future__ import annotations

import sys
import time
import types
from typing import Any, Callable

import torch
from torch.utils._device import DeviceContext

# What is called on answers; a kernel may replace the rest of a tensor's methods as it likes.
_READING = (
    "__getattribute__", "__torch_function__", "as_subclass", "clone", "contiguous", "copy_", "cpu",
    "data_ptr", "detach", "dim", "dtype", "element_size", "is_contiguous", "is_meta", "is_quantized",
    "item", "layout", "nbytes", "numel", "permute", "shape", "storage_offset", "stride", "to", "tolist",
    "untyped_storage", "view",
)  # fmt: skip
_CLOCKS = ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns")
_OF_CUDA = ("Event", "Stream", "synchronize", "current_stream", "default_stream", "stream")
_ABSENT = object()
_Owner = tuple[str, Any, tuple[str, ...]]


def _owners() -> list[_Owner]:
    owners: list[_Owner] = [
        ("torch.Tensor", torch.Tensor, _READING),
        ("torch._C.TensorBase", torch._C.TensorBase, _READING),
        ("torch.cuda", torch.cuda, _OF_CUDA),
        ("torch.cuda.Event", torch.cuda.Event, ("record", "elapsed_time", "synchronize", "query")),
        ("time", time, _CLOCKS),
    ]
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "assay_runner":
            continue
        owners.append((name, module, _callables(module)))
        for own, kind in list(vars(module).items()):
            if isinstance(kind, type) and kind.__module__ == name:
                owners.append((f"{name}.{own}", kind, _callables(kind)))
    return owners


def _callables(owner: Any) -> tuple[str, ...]:
    return tuple(name for name, value in vars(owner).items() if callable(value))


def watch() -> Callable[[], str | None]:
    """A function that names the first thing that was replaced since, if one was. It keeps what it needs
    to itself: what stands in a module could be replaced too."""
    code_of = types.FunctionType.__code__.__get__  # type: ignore[attr-defined]
    function = types.FunctionType
    lookup, absent, kind_of = vars, _ABSENT, type
    known = []
    for title, owner, names in _owners():
        for name in names:
            value = lookup(owner).get(name, absent)
            code = code_of(value) if kind_of(value) is function else None
            known.append((title, owner, name, value, code))
    function_modes = torch._C._len_torch_function_stack
    function_mode = torch._C._get_function_stack_at
    dispatch_modes = torch._C._len_torch_dispatch_stack
    allowed = DeviceContext

    def replaced() -> str | None:
        for title, owner, name, value, code in known:
            now = lookup(owner).get(name, absent)
            if now is not value or (code is not None and code_of(now) is not code):
                return f"{title}.{name}"
        if any(kind_of(function_mode(i)) is not allowed for i in range(function_modes())):
            return "what every function of torch does (a TorchFunctionMode)"
        if dispatch_modes() > 0:
            return "what every operation of torch does (a TorchDispatchMode)"
        return None

    return replaced
