"""Runs a reference once more, in float64 or over inputs changed a little: how far its answers lie apart is how
exact they are."""

from __future__ import annotations

import os
import re
import resource
from typing import Any, Callable, Iterator, Sequence

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from assay_runner.forms import Form
from assay_runner.verdicts import unsupported

_LOWER = (torch.float32, torch.float16, torch.bfloat16)
_NAMES = {torch.float64: "float64", torch.float32: "float32", torch.float16: "float16",
          torch.bfloat16: "bfloat16"}  # fmt: skip
_ROUNDOFF = {torch.float64: 0, torch.float32: 1, torch.float16: 2, torch.bfloat16: 3}
_ROOM = 6  # times what arguments and weights take now: twice as wide, and what lies between
_HOST_ROOM = 1 << 30
_OF_CUDNN = re.compile("conv|lstm|gru|rnn", re.IGNORECASE)  # what a setting of its own is for


class _Precision(TorchDispatchMode):  # type: ignore[misc]
    """The lowest precision that a source asks for by name, whatever it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.lowest = torch.float64

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        for value in made if isinstance(made, (list, tuple)) else (made,):
            if isinstance(value, torch.Tensor) and value.dtype in _LOWER and value.numel() > 0:
                self.lowest = max(self.lowest, value.dtype, key=_ROUNDOFF.__getitem__)
        return made


def run_again(form: Form, arguments: Sequence[Any], of_last_call: bool = False) -> Any:
    """What a copy of it answers in its own precision; `of_last_call`: as it was before the last call."""
    _must_be_copyable(form)
    return form.copied(None, of_last_call).call(_each(arguments, torch.Tensor.clone))


def run(form: Form, arguments: Sequence[Any], of_last_call: bool = False) -> tuple[str, Any]:
    """The lowest precision it computed in nevertheless, and its answer."""
    _must_be_copyable(form)
    _must_fit(form, arguments)
    before = torch.get_default_dtype()
    precision = _Precision()
    try:
        torch.set_default_dtype(torch.float64)
        precise = form.copied(torch.float64, of_last_call)
        wide = _each(arguments, _widened)
        with precision:
            value = precise.call(wide)
    finally:
        torch.set_default_dtype(before)
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()  # the candidate needs it
    return _NAMES[precision.lowest], value


def _must_be_copyable(form: Form) -> None:
    if form.state_of is not None and any(True for _ in _hooks(form.state_of)):
        raise unsupported("a copy of a model with hooks")


def allows_tf32(source: str, on_gpu: bool) -> bool:
    """Whether torch, as the source has set it, may compute float32 of this source in TF32."""
    if torch.get_float32_matmul_precision() != "highest":
        return True
    return on_gpu and _OF_CUDNN.search(source) is not None and bool(torch.backends.cudnn.allow_tf32)


def _hooks(model: torch.nn.Module) -> Iterator[Any]:
    for part in model.modules():
        yield from part._forward_hooks.values()
        yield from part._forward_pre_hooks.values()


def _must_fit(form: Form, arguments: Sequence[Any]) -> None:
    tensors = [value for value in tree_flatten(list(arguments))[0] if torch.is_tensor(value)]
    if form.state_of is not None:
        tensors += list(form.state_of.state_dict().values())
    needed = _ROOM * sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    if needed > _free():
        raise unsupported("a run in float64: its memory would not fit")


def _free() -> int:
    if torch.cuda.is_initialized():
        return int(torch.cuda.mem_get_info()[0])
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
    pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(_HOST_ROOM, pages // 2, limit // 2 if limit > 0 else pages)


def _widened(value: torch.Tensor) -> torch.Tensor:
    return value.double() if value.dtype in _LOWER else value.clone()


def _each(value: Any, made: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The same with other tensors."""
    if isinstance(value, torch.Tensor):
        return made(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_each(item, made) for item in value)
    if isinstance(value, dict):
        return {key: _each(item, made) for key, item in value.items()}
    return value
