"""bfloat16 in Triton's interpreter, which keeps it in 16 bit integers and would compute on those.

Values stay in that form, so that what only moves them needs nothing; what computes gets float32, and
its result is rounded to the nearest bfloat16, as on a GPU.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, ReduceOps, ScanOps, TensorHandle

_Operation = Callable[..., Any]
_NAN = 0x7FC0
_ARITHMETIC = """
ceil clampf cos erf exp exp2 fadd fdiv floor fma fmul frem fsub log log2 maximumf maxnumf minimumf
minnumf precise_divf precise_sqrt rsqrt sin sqrt
""".split()
_COMPARISONS = "LT GT LE GE EQ NE".split()


def widen(bits: Any) -> Any:
    return np.asarray(np.asarray(bits).astype(np.uint32) << 16).view(np.float32)


def narrow(values: Any) -> Any:
    """To the nearest, and of two to the even one."""
    bits = np.asarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet = (bits >> 16) | 0x40  # rounding could make an infinity of a NaN
    return np.where(np.isnan(values), quiet, rounded).astype(np.uint16)


def _is_bfloat16(value: Any) -> bool:
    return (
        isinstance(value, TensorHandle)
        and value.dtype.scalar == tl.bfloat16
        and value.data.dtype == np.uint16  # a comparison has its operands' type, but truth values
    )


def _widened(value: Any) -> Any:
    return TensorHandle(widen(value.data), tl.float32) if _is_bfloat16(value) else value


def _narrowed(values: Any) -> Any:
    return TensorHandle(narrow(values), tl.bfloat16)


def _in_float32(real: _Operation) -> _Operation:
    @functools.wraps(real)
    def operate(self: Any, *operands: Any) -> Any:
        if not any(_is_bfloat16(operand) for operand in operands):
            return real(self, *operands)
        return _narrowed(real(self, *map(_widened, operands)).data)

    return operate


def _comparison(real: _Operation) -> _Operation:
    @functools.wraps(real)
    def compare(self: Any, left: Any, right: Any) -> Any:
        return TensorHandle(real(self, _widened(left), _widened(right)).data, tl.int1)

    return compare


def _cast(real: _Operation) -> _Operation:
    @functools.wraps(real)
    def cast(self: Any, source: Any, to: Any) -> Any:
        if to.scalar != tl.bfloat16:
            return real(self, _widened(source), to)
        return source if _is_bfloat16(source) else _narrowed(source.data.astype(np.float32))

    return cast


def _rounding_cast(real: _Operation) -> _Operation:
    """What is not rounded to the nearest is cut off, and that the interpreter does right."""

    @functools.wraps(real)
    def cast(self: Any, source: Any, to: Any, rounding: Any) -> Any:
        nearest = rounding == interpreter._ir.ROUNDING_MODE.RTNE
        if nearest and to.scalar == tl.bfloat16 and source.data.dtype.kind == "f":
            return _narrowed(source.data)
        return real(self, source, to, rounding)

    return cast


def _dot(real: _Operation) -> _Operation:
    @functools.wraps(real)
    def dot(self: Any, left: Any, right: Any, sum_: Any, *options: Any) -> Any:
        return real(self, _widened(left), _widened(right), sum_, *options)

    return dot


def _print(real: _Operation) -> _Operation:
    @functools.wraps(real)
    def show(self: Any, prefix: Any, hexadecimal: Any, values: Any, *rest: Any) -> Any:
        return real(self, prefix, hexadecimal, [_widened(value) for value in values], *rest)

    return show


def _atomic(real: _Operation) -> _Operation:
    """Triton offers no other than addition for this type."""

    @functools.wraps(real)
    def update(self: Any, kind: Any, pointers: Any, value: Any, mask: Any, *rest: Any) -> Any:
        if not _is_bfloat16(value):
            return real(self, kind, pointers, value, mask, *rest)
        return TensorHandle(_add_one_by_one(pointers.data, value.data, mask.data), tl.bfloat16)

    return update


def _add_one_by_one(pointers: Any, bits: Any, mask: Any) -> Any:
    """Several may add to one place, so in every turn each place is used once."""
    shape = pointers.shape
    at, add = pointers.ravel(), widen(bits).ravel()
    before = np.zeros(at.shape, np.uint16)
    left = np.flatnonzero(mask)
    while left.size:
        _, first = np.unique(at[left], return_index=True)
        turn = left[first]
        all_of_it = np.ones(turn.shape, bool)
        found = interpreter._interpreter.load(at[turn], all_of_it, before[turn], np.dtype(np.uint16))
        interpreter._interpreter.store(at[turn], narrow(widen(found) + add[turn]), all_of_it)
        before[turn] = found
        left = np.delete(left, first)
    return before.reshape(shape)


def _load_block(real: _Operation) -> _Operation:
    """Outside of its tensor a block may be NaN, which as an integer is zero."""

    @functools.wraps(real)
    def load(self: Any, block: Any, checked: Any, padding: Any, *rest: Any) -> Any:
        loaded = real(self, block, checked, padding, *rest)
        if padding == interpreter._ir.PADDING_OPTION.PAD_NAN and _is_bfloat16(loaded):
            loaded.data = np.where(block.materialize_pointers(checked)[1], loaded.data, np.uint16(_NAN))
        return loaded

    return load


def _load_described(real: _Operation) -> _Operation:
    @functools.wraps(real)
    def load(self: Any, described: Any, indices: Any, *rest: Any) -> Any:
        loaded = real(self, described, indices, *rest)
        if described.padding == interpreter._ir.PADDING_OPTION.PAD_NAN and _is_bfloat16(loaded):
            inside = described.materialize_pointers(indices)[1]
            loaded.data = np.where(inside, loaded.data, np.uint16(_NAN))
        return loaded

    return load


def _tensor(handle: TensorHandle, like: Any) -> Any:
    kind = handle.dtype
    return tl.core.tensor(handle, tl.block_type(kind, like.shape) if like.type.is_block() else kind)


def _over_float32(real: _Operation) -> _Operation:
    """Of reductions and scans: those that combine the elements in numpy."""

    def narrowed(result: Any) -> Any:
        if isinstance(result, (list, tuple)):
            return type(result)(map(narrowed, result))
        if result.dtype != tl.float32:  # an index
            return result
        return _tensor(_narrowed(result.handle.data), result)

    @functools.wraps(real)
    def combine(self: Any, values: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_bfloat16(values.handle):
            return real(self, values, *args, **kwargs)
        return narrowed(real(self, _tensor(_widened(values.handle), values), *args, **kwargs))

    return combine


def _replace(owner: Any, name: str, wrapper: Callable[[_Operation], _Operation]) -> None:
    real = getattr(owner, name, None)
    if real is not None:  # not every Triton has each of them
        setattr(owner, name, wrapper(real))


def install() -> None:
    builder = InterpreterBuilder
    for name in _ARITHMETIC:
        _replace(builder, f"create_{name}", _in_float32)
    for name in _COMPARISONS:
        _replace(builder, f"create_fcmpO{name}", _comparison)
        _replace(builder, f"create_fcmpU{name}", _comparison)
    _replace(builder, "cast_impl", _cast)
    _replace(builder, "create_fp_to_fp", _rounding_cast)
    _replace(builder, "create_dot", _dot)
    _replace(builder, "create_print", _print)
    _replace(builder, "create_atomic_rmw", _atomic)
    _replace(builder, "create_tensor_pointer_load", _load_block)
    _replace(builder, "create_descriptor_load", _load_described)
    builder.get_bf16 = lambda self, value: _narrowed(np.array([value], np.float32))
    for owner, names in ((ReduceOps, ("sum", "min_max")), (ScanOps, ("cumsum", "cumprod"))):
        for name in names:
            _replace(owner, name, _over_float32)
