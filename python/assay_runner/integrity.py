"""Whether the functions that read answers and take times still are the ones we began with, and nothing stands ready
to compute while they read."""

from __future__ import annotations

import builtins
import gc
import json
import json.encoder
import signal
import socket
import sys
import time
import types
from typing import Any, Callable

import numpy
import torch
from torch.utils._device import DeviceContext

# What is called on answers; a kernel may replace the rest of a tensor's methods as it likes.
_READING = (
    "__getattribute__", "__torch_function__", "as_subclass", "clone", "contiguous", "copy_", "cpu",
    "data_ptr", "detach", "dim", "dtype", "element_size", "is_contiguous", "is_meta", "is_nested", "is_quantized",
    "item", "layout", "nbytes", "numel", "permute", "resolve_conj", "resolve_neg", "shape", "storage_offset", "stride", "to", "tolist",
    "untyped_storage", "view",
)  # fmt: skip
_CLOCKS = ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns")
_OF_CUDA = ("Event", "Stream", "synchronize", "current_stream", "default_stream", "stream")
_BUILTINS = (
    "all", "any", "dict", "float", "getattr", "hasattr", "int", "isinstance", "issubclass", "iter", "len", "list",
    "max", "min", "next", "range", "repr", "set", "sorted", "str", "sum", "super", "tuple", "type", "vars", "zip",
)  # fmt: skip
# The operators that copy answers, and the keys under which a kernel could register its own in their place.
_COPYING = ("aten::clone", "aten::copy_", "aten::detach", "aten::empty_strided")
_KEYS = ("CPU", "CUDA", "Autograd", "Composite", "BackendSelect", "ADInplaceOrView", "Python", "PrivateUse")
_CONSTANTS = (dict, frozenset, tuple)
_ABSENT = object()
_Owner = tuple[str, Any, tuple[str, ...]]


def _owners() -> list[_Owner]:
    owners: list[_Owner] = [
        ("torch.Tensor", torch.Tensor, _READING),
        ("torch._C.TensorBase", torch._C.TensorBase, _READING),
        ("torch.cuda", torch.cuda, _OF_CUDA),
        ("torch.cuda.Event", torch.cuda.Event, ("record", "elapsed_time", "synchronize", "query")),
        ("torch", torch, ("default_generator", "from_numpy", "frombuffer", "strided", "view_as_real")),
        ("numpy", numpy, ("ascontiguousarray", "generic", "integer", "ndarray")),
        ("time", time, _CLOCKS),
        ("gc", gc, ("collect", "disable", "enable", "freeze")),
        ("json", json, ("dumps", "loads")),
        ("json.encoder", json.encoder, ("c_make_encoder", "encode_basestring", "encode_basestring_ascii")),
        ("json.JSONEncoder", json.JSONEncoder, ("__init__", "default", "encode", "iterencode")),
        ("socket.socket", socket.socket, ("recvmsg", "send", "sendall", "sendmsg")),
        ("builtins", builtins, _BUILTINS),
    ]
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "assay_runner":
            continue
        owners.append((name, module, _watched(module)))
        for own, kind in list(vars(module).items()):
            if isinstance(kind, type) and kind.__module__ == name:
                owners.append((f"{name}.{own}", kind, _watched(kind)))
    return owners


def _watched(owner: Any) -> tuple[str, ...]:
    """What it does, and what that goes by: a list of plain types could be replaced by a longer one."""
    return tuple(name for name, value in vars(owner).items() if callable(value) or type(value) in _CONSTANTS)


def _registrations(
    dump: Callable[[str], str] = torch._C._dispatch_dump, names: tuple[str, ...] = _COPYING, keys: tuple[str, ...] = _KEYS
) -> list[str]:
    """What torch calls for the operators that copy answers."""
    return [line for name in names for line in dump(name).partition("\n\n")[0].splitlines() if line.startswith(keys)]


class Objects:
    """Our own objects, whose methods a kernel could cover with names of their own."""

    def __init__(self, root: Any, *parts: str) -> None:
        self._held = [(root, name, root.__dict__[name]) for name in parts]
        self._tables = [(root, name, value, dict(value)) for root, name, value in self._held if type(value) is dict]
        self._known = [(thing, type(thing), frozenset(dir(type(thing))))
                       for thing in (root, *(value for _, _, value in self._held))
                       if hasattr(thing, "__dict__")]  # fmt: skip

    def replaced(self) -> str | None:
        for root, name, value in self._held:
            if root.__dict__.get(name) is not value:
                return f"{type(root).__name__}.{name}"
        for root, name, table, entries in self._tables:
            if table != entries:
                return f"{type(root).__name__}.{name}"
        for thing, kind, names in self._known:
            if type(thing) is not kind:
                return f"{kind.__name__}.__class__"
            for name in thing.__dict__:
                if name in names:
                    return f"{kind.__name__}.{name}"
        return None


def watch() -> Callable[[], str | None]:
    """A function that names the first thing that was replaced since, if one was. It keeps what it needs
    to itself: what stands in a module could be replaced too."""
    code_of = types.FunctionType.__code__.__get__  # type: ignore[attr-defined]
    function = types.FunctionType
    lookup, absent, kind_of = vars, _ABSENT, type
    defaults_of = types.FunctionType.__defaults__.__get__  # type: ignore[union-attr]
    known = []
    defaults = []
    ours = []
    is_callable, as_set, size_of = callable, frozenset, len
    for title, owner, names in _owners():
        if title.partition(".")[0] == "assay_runner":
            ours.append((title, owner, size_of(lookup(owner)), as_set(names)))
        for name in names:
            value = lookup(owner).get(name, absent)
            code = code_of(value) if kind_of(value) is function else None
            known.append((title, owner, name, value, code))
            if code is not None and defaults_of(value) is not None:
                defaults.append((f"{title}.{name}", value, defaults_of(value)))
    function_modes = torch._C._len_torch_function_stack
    function_mode = torch._C._get_function_stack_at
    dispatch_modes = torch._C._len_torch_dispatch_stack
    allowed = DeviceContext
    registered = _registrations
    operators = registered()
    profile, trace, timer, real = sys.getprofile, sys.gettrace, signal.getitimer, signal.ITIMER_REAL
    count = range

    def replaced() -> str | None:
        for title, owner, name, value, code in known:
            now = lookup(owner).get(name, absent)
            if now is not value or (code is not None and code_of(now) is not code):
                return f"{title}.{name}"
        for title, value, before in defaults:
            if defaults_of(value) is not before:
                return title
        for title, owner, size, names in ours:  # what is added to them is found before what they find elsewhere
            if size_of(lookup(owner)) == size:
                continue
            for name, value in lookup(owner).items():
                if name not in names and is_callable(value):
                    return f"{title}.{name}"
        if registered() != operators:
            return "how torch copies tensors (torch.library)"
        for i in count(function_modes()):
            if kind_of(function_mode(i)) is not allowed:
                return "what every function of torch does (a TorchFunctionMode)"
        if dispatch_modes() > 0:
            return "what every operation of torch does (a TorchDispatchMode)"
        if profile() is not None or trace() is not None:
            return "what happens at every call of a function (sys.setprofile, sys.settrace)"
        if timer(real)[0] > 0:
            return "what happens when a timer ends (signal.setitimer)"
        return None

    return replaced
