"""Python values as JSON trees; tensors stand in them as references into an arena."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Callable

import numpy
import torch

from assay_runner.verdicts import unsupported

Tree = dict[str, Any]

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint64": torch.uint64,
    "uint32": torch.uint32,
    "uint16": torch.uint16,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}
_DEEPEST = 64


def encode(value: Any) -> tuple[Tree, list[torch.Tensor]]:
    """The tree, and its tensors in the order in which they stand in it."""
    tensors: list[torch.Tensor] = []
    return _encode(value, tensors, 0), tensors


def _encode(value: Any, tensors: list[torch.Tensor], depth: int) -> Tree:
    if depth > _DEEPEST:
        raise unsupported(f"values nested deeper than {_DEEPEST} levels")
    scalar = _scalar(value)
    if scalar is not None:
        return scalar
    if isinstance(value, torch.Tensor):
        return _tensor(value, tensors)
    if isinstance(value, numpy.ndarray):
        return _tensor(torch.from_numpy(numpy.ascontiguousarray(value)), tensors)
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, Mapping)):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        items = [_encode(item, tensors, depth + 1) for item in value.values()]
        return {"k": "dict", "keys": [str(key) for key in value], "items": items}
    if isinstance(value, (list, tuple)):
        items = [_encode(item, tensors, depth + 1) for item in value]
        return {"k": "list" if isinstance(value, list) else "tuple", "items": items}
    raise unsupported(f"a value of type {type(value).__module__}.{type(value).__qualname__}")


def _scalar(value: Any) -> Tree | None:
    if isinstance(value, numpy.generic):
        value = value.item()
    if value is None:
        return {"k": "none"}
    if isinstance(value, bool):
        return {"k": "bool", "v": value}
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise unsupported("an integer of more than 64 bits")
        return {"k": "int", "v": int(value)}
    if isinstance(value, float):
        return {"k": "float", "v": repr(float(value))}
    if isinstance(value, str):
        return {"k": "str", "v": str(value)}
    return None


def _tensor(value: torch.Tensor, tensors: list[torch.Tensor]) -> Tree:
    if value.layout != torch.strided or value.is_quantized or value.is_meta:
        raise unsupported("a tensor that is sparse, quantized or without data")
    if value.dtype not in _NAMES:
        raise unsupported(f"a tensor of {value.dtype}")
    tensors.append(value.detach())
    return {"k": "tensor", "shape": list(value.shape), "dtype": _NAMES[value.dtype]}


def decode(tree: Tree, tensor: Callable[[torch.dtype, list[int], int], torch.Tensor]) -> Any:
    """`tensor` makes the one of a dtype, shape and offset in the arena."""
    kind = tree["k"]
    if kind == "tensor":
        return tensor(DTYPES[tree["dtype"]], tree["shape"], tree["offset"])
    if kind in ("list", "tuple"):
        items = [decode(item, tensor) for item in tree["items"]]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {key: decode(item, tensor) for key, item in zip(tree["keys"], tree["items"])}
    if kind == "none":
        return None
    if kind == "float":
        return float(tree["v"])
    return tree["v"]
