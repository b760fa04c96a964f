"""Conversions to and from 8 bit floats in Triton's interpreter, whose own do not carry when they round."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

from assay_runner import triton_bfloat16

_TYPES = {
    "fp8e4nv": torch.float8_e4m3fn,
    "fp8e5": torch.float8_e5m2,
    "fp8e4b8": torch.float8_e4m3fnuz,
    "fp8e5b16": torch.float8_e5m2fnuz,
}


def _widened(source: Any) -> Any:
    kind = source.dtype.scalar
    if kind.name in _TYPES:
        bits = torch.from_numpy(np.ascontiguousarray(source.data).view(np.uint8))
        return bits.view(_TYPES[kind.name]).to(torch.float32).numpy()
    if kind == tl.bfloat16:
        return triton_bfloat16.widen(source.data)
    return source.data.astype(np.float32)


def _narrowed(values: Any, kind: Any) -> Any:
    if kind == tl.bfloat16:
        return triton_bfloat16.narrow(values)
    if kind.name not in _TYPES:
        return values.astype(interpreter._get_np_dtype(kind))
    to = _TYPES[kind.name]
    largest = torch.finfo(to).max  # on a GPU what is larger becomes that
    return torch.from_numpy(np.clip(values, -largest, largest)).to(to).view(torch.uint8).numpy()


def install() -> None:
    real = InterpreterBuilder.create_fp_to_fp

    @functools.wraps(real)
    def convert(self: Any, source: Any, to: Any, rounding: Any) -> Any:
        kinds = (source.dtype.scalar, to.scalar)
        nearest = rounding in (None, interpreter._ir.ROUNDING_MODE.RTNE)
        if not nearest or all(kind.name not in _TYPES for kind in kinds):
            return real(self, source, to, rounding)
        return TensorHandle(_narrowed(_widened(source), to.scalar), to.scalar)

    InterpreterBuilder.create_fp_to_fp = convert
