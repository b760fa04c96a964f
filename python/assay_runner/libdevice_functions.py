"""The functions of CUDA's libdevice in numpy, by the names of its symbols without their types.

Floats are computed in double precision and rounded once by the caller, so results are those of a GPU
to within its own error.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np
import torch

_Function = Callable[..., Any]
_SQRT_2 = math.sqrt(2)


def _torch(function: _Function) -> _Function:
    def apply(*args: Any) -> Any:
        return function(*(torch.from_numpy(np.ascontiguousarray(x, np.float64)) for x in args)).numpy()

    return apply


def _each(function: _Function, kind: Any = np.float64) -> _Function:
    return np.vectorize(function, otypes=[kind])


def _gamma(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:  # a pole, or minus infinity
        return math.copysign(math.inf, x) if x == 0 else math.nan


def _remainder(x: float, y: float) -> float:
    return math.remainder(x, y) if math.isfinite(x) and y != 0 else math.nan


def _round(x: Any) -> Any:
    """Halves away from zero."""
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x)


def _of_pi(function: _Function) -> _Function:
    return lambda x: function(np.pi * np.remainder(x, 2.0))


def _norm(*parts: Any) -> Any:
    return np.sqrt(sum(part * part for part in parts))


def _exponent(x: Any) -> Any:
    return np.where(x == 0, -np.inf, np.where(np.isfinite(x), np.frexp(x)[1] - 1, np.abs(x)))


def _bit_count(x: Any) -> int:
    return bin(int(x)).count("1")


def _unsigned(x: Any) -> Any:
    return x.view(np.dtype(f"u{x.dtype.itemsize}"))


def _leading_zeros(x: Any) -> Any:
    width = x.dtype.itemsize * 8
    return _each(lambda bits: width - int(bits).bit_length(), np.int32)(_unsigned(x))


def _first_set(x: Any) -> Any:
    return _each(lambda bits: (int(bits) & -int(bits)).bit_length(), np.int32)(_unsigned(x))


def _reversed_bits(x: Any) -> Any:
    width = x.dtype.itemsize * 8
    unsigned = _unsigned(x)
    reverse = _each(lambda bits: int(f"{int(bits):0{width}b}"[::-1], 2), unsigned.dtype)
    return reverse(unsigned).view(x.dtype)


def _high_half(x: Any, y: Any) -> Any:
    width = x.dtype.itemsize * 8
    return _each(lambda a, b: (int(a) * int(b)) >> width, x.dtype)(x, y)


def _low_24_bits(x: Any) -> Any:
    bits = x.astype(np.int64) & 0xFFFFFF
    return np.where((bits & 0x800000) != 0, bits - 0x1000000, bits) if x.dtype.kind == "i" else bits


def _selected_bytes(x: Any, y: Any, selector: Any) -> Any:
    def select(low: Any, high: Any, which: Any) -> int:
        both = int(high) << 32 | int(low)
        chosen = 0
        for place in range(4):
            how = int(which) >> 4 * place & 0xF
            byte = both >> 8 * (how & 7) & 0xFF
            chosen |= ((0xFF if byte & 0x80 else 0) if how & 8 else byte) << 8 * place
        return chosen

    return _each(select, np.uint32)(*map(_unsigned, (x, y, selector))).view(np.int32)


def _wide(x: Any) -> Any:
    return x.astype(np.int64)


def _bits(kind: Any) -> _Function:
    return lambda x: np.ascontiguousarray(x).view(kind)


def _from_halves(high: Any, low: Any) -> Any:
    bits = _unsigned(high).astype(np.uint64) << np.uint64(32) | _unsigned(low)
    return bits.view(np.float64)


FLOATS: dict[str, _Function] = {
    name: getattr(np, name)
    for name in (
        "cbrt ceil copysign cos cosh exp exp2 expm1 fabs floor fmod hypot isfinite isinf isnan log "
        "log10 log1p log2 rint signbit sin sinh sqrt tan tanh trunc"
    ).split()
} | {
    name: _torch(getattr(torch.special, name)) for name in "erf erfc erfcx erfinv".split()
} | {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cospi": _of_pi(np.cos),
    "cyl_bessel_i0": _torch(torch.special.i0),
    "cyl_bessel_i1": _torch(torch.special.i1),
    "erfcinv": lambda x: -_torch(torch.special.ndtri)(x / 2) / _SQRT_2,
    "exp10": lambda x: np.power(10.0, x),
    "fdim": lambda x, y: np.where(x <= y, 0.0, x - y),
    "finite": np.isfinite,
    "fma": lambda x, y, z: x * y + z,
    "ilogb": lambda x: np.clip(_exponent(x), -(2**31), 2**31 - 1),
    "j0": _torch(torch.special.bessel_j0),
    "j1": _torch(torch.special.bessel_j1),
    "ldexp": np.ldexp,
    "lgamma": _torch(torch.lgamma),
    "llrint": np.rint,
    "llround": _round,
    "logb": _exponent,
    "nearbyint": np.rint,
    "norm3d": _norm,
    "norm4d": _norm,
    "normcdf": lambda x: _torch(torch.special.erfc)(-x / _SQRT_2) / 2,
    "normcdfinv": _torch(torch.special.ndtri),
    "pow": np.power,
    "powi": np.power,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "remainder": _each(_remainder),
    "rhypot": lambda x, y: 1 / np.hypot(x, y),
    "rnorm3d": lambda *parts: 1 / _norm(*parts),
    "rnorm4d": lambda *parts: 1 / _norm(*parts),
    "round": _round,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "saturate": lambda x: np.where(np.isnan(x), 0.0, np.clip(x, 0, 1)),
    "scalbn": np.ldexp,
    "sinpi": _of_pi(np.sin),
    "tgamma": _each(_gamma),
    "y0": _torch(torch.special.bessel_y0),
    "y1": _torch(torch.special.bessel_y1),
}  # fmt: skip

# Of these there is one for each way to round.
ROUNDED: dict[str, _Function] = {
    "add": np.add,
    "div": np.divide,
    "fma": FLOATS["fma"],
    "mul": np.multiply,
    "rcp": lambda x: 1 / x,
    "rsqrt": FLOATS["rsqrt"],
    "sqrt": np.sqrt,
    "sub": np.subtract,
}

# By the whole name of the symbol; arguments have the types that they have on a GPU.
EXACT: dict[str, _Function] = {
    "abs": np.abs,
    "brev": _reversed_bits,
    "brevll": _reversed_bits,
    "byte_perm": _selected_bytes,
    "clz": _leading_zeros,
    "clzll": _leading_zeros,
    "double2hiint": lambda x: (_bits(np.uint64)(x) >> np.uint64(32)).astype(np.uint32).view(np.int32),
    "double2loint": lambda x: _bits(np.uint64)(x).astype(np.uint32).view(np.int32),
    "double_as_longlong": _bits(np.int64),
    "ffs": _first_set,
    "ffsll": _first_set,
    "float_as_int": _bits(np.int32),
    "float_as_uint": _bits(np.uint32),
    "hadd": lambda x, y: (_wide(x) + _wide(y)) >> 1,
    "hiloint2double": _from_halves,
    "int_as_float": _bits(np.float32),
    "llabs": np.abs,
    "longlong_as_double": _bits(np.float64),
    "mul24": lambda x, y: (_low_24_bits(x) * _low_24_bits(y)).astype(np.int32),
    "mul64hi": _high_half,
    "mulhi": _high_half,
    "nextafter": np.nextafter,
    "nextafterf": np.nextafter,
    "popc": lambda x: _each(_bit_count, np.int32)(_unsigned(x)),
    "popcll": lambda x: _each(_bit_count, np.int32)(_unsigned(x)),
    "rhadd": lambda x, y: (_wide(x) + _wide(y) + 1) >> 1,
    "sad": lambda x, y, z: np.abs(_wide(x) - _wide(y)) + _wide(z),
    "uhadd": lambda x, y: (_wide(x) + _wide(y)) >> 1,
    "uint_as_float": _bits(np.float32),
    "umul24": lambda x, y: (_low_24_bits(x) * _low_24_bits(y)).astype(np.uint32),
    "umul64hi": _high_half,
    "umulhi": _high_half,
    "urhadd": lambda x, y: (_wide(x) + _wide(y) + 1) >> 1,
    "usad": lambda x, y, z: np.abs(_wide(x) - _wide(y)) + _wide(z),
}
