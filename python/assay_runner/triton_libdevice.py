"""CUDA's libdevice for Triton's interpreter, where it has none."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any, Callable

import numpy as np
import triton.language as tl
import triton.language.extra.cuda as cuda_extra
import triton.language.extra.libdevice as any_libdevice
from triton.language.extra.cuda import libdevice
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

from assay_runner import libdevice_functions as functions

_CONVERSION = re.compile(r"(?:float|double|int|uint|ll|ull)2(?:float|double|int|uint|ll|ull)_(r[ndzu])")
_ROUNDED = re.compile(r"[df]?(add|div|fma|mul|rcp|rsqrt|sqrt|sub)f?_(r[ndzu])")
_TO_WHOLE = {"rn": np.rint, "rd": np.floor, "ru": np.ceil, "rz": np.trunc}


def _float64(value: Any) -> Any:
    return value.astype(np.float64) if value.dtype.kind == "f" else value


def _towards(mode: str, values: Any, kind: Any) -> Any:
    """Rounded once, in a direction. A double that is asked for keeps what rounding it had."""
    nearest = values.astype(kind)
    down, up = np.nextafter(nearest, kind.type(-np.inf)), np.nextafter(nearest, kind.type(np.inf))
    if mode == "rz":
        return np.where(np.abs(nearest) > np.abs(values), np.where(values > 0, down, up), nearest)
    if mode == "rd":
        return np.where(nearest > values, down, nearest)
    return np.where(nearest < values, up, nearest) if mode == "ru" else nearest


def _whole(values: Any, kind: Any) -> Any:
    """As a GPU converts: what does not fit becomes the largest or smallest, and NaN zero."""
    limits = np.iinfo(kind)
    fitting = np.where(np.isnan(values), 0, values)
    high, low = fitting >= float(limits.max), fitting <= float(limits.min)
    inside = np.where(high | low, 0, fitting).astype(kind)
    return np.where(high, kind.type(limits.max), np.where(low, kind.type(limits.min), inside))


def _converted(values: Any, mode: str, kind: Any) -> Any:
    if kind.kind == "f":
        return _towards(mode, values.astype(np.float64), kind)
    return _whole(_TO_WHOLE[mode](values.astype(np.float64)), kind)


def _plain(name: str) -> Callable[..., Any] | None:
    name = name.removeprefix("fast_")
    if name == "fdividef":
        return np.divide
    for base in (name, name[:-1]):  # the types of floats are one letter
        if base in functions.FLOATS and (base == name or name[-1] in "fd"):
            return functions.FLOATS[base]
    return None


def compute(symbol: str, values: list[Any], kind: Any) -> Any:
    """What a function gives, as numbers of a numpy type. None for one that there is not."""
    name = symbol.removeprefix("__nv_")
    with np.errstate(all="ignore"):
        if name in functions.EXACT:
            return functions.EXACT[name](*values).astype(kind)
        if conversion := _CONVERSION.fullmatch(name):
            return _converted(values[0], conversion[1], kind)
        if rounded := _ROUNDED.fullmatch(name):
            exact = functions.ROUNDED[rounded[1]](*map(_float64, values))
            return _towards(rounded[2], exact, kind)
        function = _plain(name)
        if function is None:
            return None
        result = function(*map(_float64, values))
        return _whole(result, kind) if kind.kind in "iu" and result.dtype.kind == "f" else result.astype(kind)


def _create_extern_elementwise(
    self: Any, library: str, path: str, symbol: str, arguments: list[Any], kind: Any, is_pure: bool
) -> TensorHandle:
    values = [argument.data for argument in arguments]
    result = None if library or path else compute(symbol, values, interpreter._get_np_dtype(kind))
    if result is None:
        raise NotImplementedError(f"the function {symbol} of a library for GPUs")
    return TensorHandle(np.asarray(result), kind.scalar)


def _interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{**kwargs, "_semantic": interpreter.interpreter_semantic})

    return call


def _interpret(module: ModuleType) -> None:
    for name, member in list(vars(module).items()):
        if tl.core.is_builtin(member):
            setattr(module, name, _interpreted(member))


def _nothing_to_wait_for(*args: Any, **kwargs: Any) -> None:
    """Launches follow each other here."""


def install() -> None:
    InterpreterBuilder.create_extern_elementwise = _create_extern_elementwise
    _interpret(libdevice)
    for name in vars(any_libdevice):
        if not name.startswith("_") and hasattr(libdevice, name):
            setattr(any_libdevice, name, getattr(libdevice, name))
    # Triton imports this package twice, and shows sources one or the other.
    packages: list[Any] = [cuda_extra, sys.modules[cuda_extra.__name__]]
    for module in packages:
        _interpret(module)
        module.gdc_wait = module.gdc_launch_dependents = _nothing_to_wait_for
