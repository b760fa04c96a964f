"""What a kernel returned, as plain containers of plain tensors.

A kernel shares this process. It may return an object that computes only when it is read, which would
be after its time was taken. So whatever it returned is taken apart inside the time, and nothing but real
tensors and scalars leaves here."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Set
from typing import Any, Callable, Iterator

import numpy
import torch

from assay_runner.verdicts import tampered, unsupported, wrong_answer

_DEEPEST = 32  # as in trees
_Tensor = torch.Tensor
_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter, torch.nn.Buffer))
_SCALARS = frozenset((type(None), bool, int, float, complex, str))
# Of the class itself: an object's own answer could be anything.
_own_names: Callable[[Any], dict[str, Any]] = torch.Tensor.__dict__["__dict__"].__get__
_wrapped: Callable[[Any], bool] = torch._C._functorch.is_functorch_wrapped_tensor
_resolve_neg: Callable[[Any], Any] = torch._C.TensorBase.resolve_neg
_resolve_conj: Callable[[Any], Any] = torch._C.TensorBase.resolve_conj
_stride: Callable[[Any], tuple[int, ...]] = torch._C.TensorBase.stride
_contiguous: Callable[[Any], Any] = torch._C.TensorBase.contiguous
_is_contiguous: Callable[[Any], bool] = torch._C.TensorBase.is_contiguous
# The number or text itself, whatever a class derived from it would make of it when it is read.
_AS_IT_IS = ((int, int.__int__), (float, float.__float__), (str, str.__str__))
_NUMPY = frozenset(numpy.sctypeDict.values())
_ARRAYS = frozenset(numpy.dtype(kind) for kind in (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
))  # fmt: skip


class Answers:
    """Takes answers apart."""

    def trusts(self) -> bool:
        """A method, because those are watched: a kernel could set what is a mere attribute."""
        return False

    def plain(self, value: Any) -> Any:
        if type(value) is _Tensor and not _own_names(value) and not _wrapped(value):
            return _resolved(value)
        return self._plain(value, 0)

    def must_have_elements(self, value: Any) -> None:
        """Of what `plain` gave, outside the time."""
        if self.trusts():
            return
        if isinstance(value, _Tensor):
            if value.layout != torch.strided or value.is_quantized or value.is_meta or value.is_nested:
                raise wrong_answer("the kernel returned a tensor that is sparse, quantized, nested or without data: "
                                   "return a dense tensor, as the reference does")
        elif isinstance(value, (list, tuple)):
            for item in value:
                self.must_have_elements(item)
        elif isinstance(value, dict):
            for item in value.values():
                self.must_have_elements(item)

    def _plain(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if depth > _DEEPEST:
            raise unsupported(f"a value of more than {_DEEPEST} levels of nesting")
        if kind in _SCALARS:
            return value
        if issubclass(kind, _Tensor):
            return self._tensor(value, kind)
        if kind in (list, tuple) or issubclass(kind, (list, tuple)):
            items = [self._plain(item, depth + 1) for item in value]
            return items if issubclass(kind, list) else tuple(items)
        if issubclass(kind, Mapping):
            return {str(key): self._plain(value[key], depth + 1) for key in value}
        return self._other(value, kind, depth)

    def _other(self, value: Any, kind: type, depth: int) -> Any:
        if kind in _NUMPY or (kind is numpy.ndarray and value.dtype in _ARRAYS):
            return value
        for plain, as_it_is in _AS_IT_IS:
            if issubclass(kind, plain):
                return as_it_is(value)
        if dataclasses.is_dataclass(kind):
            names = [field.name for field in dataclasses.fields(kind)]
            return {name: self._plain(getattr(value, name), depth + 1) for name in names}
        if issubclass(kind, (types.GeneratorType, Iterator)):
            return [self._plain(item, depth + 1) for item in value]
        if issubclass(kind, Set):
            return [self._plain(item, depth + 1) for item in sorted(value, key=_order)]
        name = _name(kind)
        if self.trusts():
            raise unsupported(f"a value of type {name}")
        raise wrong_answer(f"the kernel returned an object of type {name}, which holds no answer "
                           "that can be compared: return tensors, numbers, or containers of them")

    def _tensor(self, value: Any, kind: type) -> Any:
        if self.trusts():  # put off alike, wherever it stands in the answer: both are timed
            return _resolved(value if kind in _PLAIN else value.as_subclass(_Tensor))
        if kind not in _PLAIN:
            raise _own_tensor(kind)
        replaced = sorted(name for name in _own_names(value) if hasattr(_Tensor, name))
        if replaced:
            raise tampered("returned_object", "the kernel returned a tensor whose own "
                           f"'{replaced[0]}' replaces that of torch.Tensor: it could compute "
                           "when it is read. Return the tensor as torch made it")
        if _wrapped(value):
            raise wrong_answer("the kernel returned a tensor that is still inside torch.func: "
                               "return what the transformed function gives")
        return _resolved(value)


class AnswersOfReference(Answers):
    """Believes more: a reference has nothing to gain."""

    def trusts(self) -> bool:
        return True


def _resolved(value: Any) -> Any:
    """A negation, a conjugate or the copies of an element that a tensor has more than once may be put off until
    somebody reads them: that is work of the call."""
    if value.layout is torch.strided and not _is_contiguous(value) and _has_elements_twice(value):
        value = _contiguous(value)
    return _resolve_conj(_resolve_neg(value))


def _has_elements_twice(value: Any) -> bool:
    """It is expanded, or its rows lie over one another."""
    steps = _stride(value)
    return 0 in steps or value.numel() > 1 + sum(
        (size - 1) * step for size, step in zip(value.shape, steps))


def _own_tensor(kind: type) -> Exception:
    reason = (f"the kernel returned a {_name(kind)}, which is a class of its own derived from "
              "torch.Tensor and may compute when it is read: return a plain torch.Tensor")
    replaced = any(hasattr(_Tensor, name) and name not in ("__module__", "__doc__", "__dict__")
                   for made in kind.__mro__[: kind.__mro__.index(_Tensor)] for name in vars(made))
    return tampered("returned_object", reason) if replaced else wrong_answer(reason)


def _order(item: Any) -> tuple[bool, float, str]:
    """Of what a set holds: numbers by their size, all else by its text."""
    is_number = type(item) in (bool, int, float)
    return not is_number, item if is_number else 0, repr(item)


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
