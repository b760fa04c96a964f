"""Python values as JSON trees; tensors stand in them as references into an arena."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Callable, Sequence

import numpy
import torch

from assay_runner.verdicts import unsupported

Tree = dict[str, Any]

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float8_e4m3fn": torch.float8_e4m3fn,
    "float8_e5m2": torch.float8_e5m2,
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
COMPLEX = {torch.complex64: "torch.complex64", torch.complex128: "torch.complex128"}
# Of the class, as it was before any kernel ran: an object's own could do anything.
_detach = torch._C.TensorBase.detach
_data_ptr = torch._C.TensorBase.data_ptr
_storage = torch._C.TensorBase.untyped_storage
_numpy = torch._C.TensorBase.numpy
_add_up = numpy.add.reduce  # torch takes 4 ns for each element, and this 0.3 to 0.5
_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}
# Of what the worker reads.
_DEEPEST = 32
_MOST_PARTS = 65536


def encode(value: Any, keep_order: bool = False) -> tuple[Tree, list[torch.Tensor]]:
    """The tree, and its tensors as they stand in it; with `keep_order` turned so that they lie in
    memory as they are written, where that is possible without gaps."""
    encoder = _Encoder(keep_order)
    return encoder.encode(value, 0), encoder.tensors


class _Encoder:
    def __init__(self, keep_order: bool) -> None:
        self.tensors: list[torch.Tensor] = []
        self._keep_order = keep_order
        self._parts = 0

    def encode(self, value: Any, depth: int) -> Tree:
        self._parts += 1
        if depth > _DEEPEST or self._parts > _MOST_PARTS:
            raise unsupported(
                f"a value of more than {_MOST_PARTS} parts or {_DEEPEST} levels of nesting"
            )
        if type(value) is complex:
            value = {"complex": [value.real, value.imag]}
        elif isinstance(value, numpy.integer):
            value = int(value)
        if type(value) is int and 2**63 <= value < 2**64:
            value = torch.tensor(value, dtype=torch.uint64)
        scalar = _scalar(value)
        if scalar is not None:
            return scalar
        if isinstance(value, numpy.ndarray):
            return self._encode_array(value, depth)
        if isinstance(value, torch.Tensor):
            return self._encode_tensor(value, depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, (type, Mapping)):
            value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        if isinstance(value, Mapping):
            items = self._encode_all(list(value.values()), depth)
            return {"k": "dict", "keys": [str(key) for key in value], "items": items}
        if isinstance(value, (list, tuple)):
            items = self._encode_all(value, depth)
            return {"k": "list" if isinstance(value, list) else "tuple", "items": items}
        raise unsupported(f"a value of type {type(value).__module__}.{type(value).__qualname__}")

    def _encode_tensor(self, value: torch.Tensor, depth: int) -> Tree:
        if value.dtype in COMPLEX:  # told apart from a real tensor by what it lies in
            part = torch.view_as_real(_detach(value).resolve_conj())
            return self.encode({COMPLEX[value.dtype]: part}, depth)
        tree = _tensor(value)
        order = _order(value) if self._keep_order else None
        if order is not None:
            tree["order"] = order
        plain = _detach(value)
        self.tensors.append(plain if order is None else plain.permute(order))
        return tree

    def _encode_array(self, value: Any, depth: int) -> Tree:
        tree = self.encode(torch.from_numpy(numpy.ascontiguousarray(value).reshape(value.shape)), depth)
        for leaf in _leaves(tree):
            leaf["is_array"] = True
        return tree

    def _encode_all(self, values: Sequence[Any], depth: int) -> list[Tree]:
        return [self.encode(value, depth + 1) for value in values]


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


def _tensor(value: torch.Tensor) -> Tree:
    if value.layout != torch.strided or value.is_quantized or value.is_meta or value.is_nested:
        raise unsupported("a tensor that is sparse, quantized, nested or without data")
    if value.dtype not in _NAMES:
        raise unsupported(f"a tensor of {value.dtype}")
    return {"k": "tensor", "shape": list(value.shape), "dtype": _NAMES[value.dtype]}


def mark_inputs(tree: Tree, tensors: list[torch.Tensor], arguments: Sequence[Any]) -> None:
    """Says in the tree which of its tensors lie in the memory of an argument."""
    held = [_place(tensor) for tensor in encode(list(arguments))[1]]
    for leaf, tensor in zip(_leaves(tree), tensors, strict=True):
        start, end = _place(tensor)
        if any(start < other and begin < end for begin, other in held):
            leaf["is_input"] = True


def mark_shared(tree: Tree, tensors: list[torch.Tensor], arguments: Sequence[Any]) -> None:
    """The same of tensors that lie in the file of an argument, mapped elsewhere or at another place of it. Only memory
    that torch did not allocate can. It takes milliseconds then."""
    foreign = [
        (leaf, _data_ptr(tensor))
        for leaf, tensor in zip(_leaves(tree), tensors, strict=True)
        if tensor.numel() > 0 and tensor.device.type == "cpu" and not _storage(tensor).resizable()
    ]
    if not foreign:
        return
    files = _files()
    held = [_data_ptr(tensor) for tensor in encode(list(arguments))[1] if tensor.numel() > 0]
    of_inputs = {name for start, end, name in files if any(start <= at < end for at in held)}
    for leaf, at in foreign:
        if any(start <= at < end and name in of_inputs for start, end, name in files):
            leaf["is_input"] = True


def _files() -> list[tuple[int, int, str]]:
    """What is mapped here, and from where to where."""
    try:
        with open("/proc/self/maps") as lines:
            parts = [line.split() for line in lines]
    except OSError:
        return []
    bounds = [(part[0].partition("-"), f"{part[3]} {part[4]}") for part in parts if part[4] != "0"]
    return [(int(start, 16), int(end, 16), name) for (start, _, end), name in bounds]


def _place(tensor: torch.Tensor) -> tuple[int, int]:
    """From the first to behind the last byte; nothing of an empty one."""
    if tensor.numel() == 0:
        return 0, 0
    reach = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride()))
    start = _data_ptr(tensor)
    return start, start + (reach + 1) * tensor.element_size()


def fingerprint(tensors: Sequence[torch.Tensor]) -> int:
    """The sum of their elements, each taken for an integer, as the worker adds them. They have no gaps: so it takes
    as long for one layout as for another."""
    total = 0
    for tensor in tensors:
        if tensor.numel() > 0:
            flat = tensor.as_strided((tensor.numel(),), (1,)).view(_INTEGERS[tensor.element_size()])
            total += int(_add_up(_numpy(flat), dtype=numpy.int64))
    return total % 2**64


def _leaves(tree: Tree) -> list[Tree]:
    if tree["k"] == "tensor":
        return [tree]
    return [leaf for item in tree.get("items", []) for leaf in _leaves(item)]


def _order(value: torch.Tensor) -> list[int] | None:
    """The dimensions as they lie in memory, the outermost first, if that is not as they are written;
    nothing for what has gaps or lies over itself, which moving it to a GPU would straighten too."""
    if value.is_contiguous():
        return None
    order = sorted(range(value.dim()), key=value.stride, reverse=True)
    return order if value.permute(order).is_contiguous() else None


def decode(tree: Tree, tensor: Callable[[torch.dtype, list[int], int], torch.Tensor]) -> Any:
    """`tensor` makes the one of a dtype, shape and offset in the arena."""
    kind = tree["k"]
    if kind == "tensor":
        shape = tree["shape"]
        order = tree.get("order", range(len(shape)))
        stored = tensor(DTYPES[tree["dtype"]], [shape[i] for i in order], tree["offset"])
        return stored.permute(sorted(range(len(shape)), key=order.__getitem__))
    if kind in ("list", "tuple"):
        items = [decode(item, tensor) for item in tree["items"]]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        if len(tree["keys"]) == 1 and tree["keys"][0] in COMPLEX.values():
            return torch.view_as_complex(decode(tree["items"][0], tensor))
        return {key: decode(item, tensor) for key, item in zip(tree["keys"], tree["items"])}
    if kind == "none":
        return None
    if kind == "float":
        return float(tree["v"])
    return tree["v"]
