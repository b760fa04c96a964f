"""Weights that an author left at ones and zeros, made to differ. A kernel that leaves out a norm's weights is right
only as long as they do nothing."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import Any, Callable, Iterator

import torch

# What norms keep, and between which numbers it is made to lie.
_RANGES = {"weight": (0.5, 1.5), "bias": (-0.5, 0.5), "running_mean": (-0.5, 0.5), "running_var": (0.5, 2.0)}
_NORMS: tuple[type, ...] = (
    torch.nn.modules.batchnorm._NormBase, torch.nn.LayerNorm, torch.nn.GroupNorm, torch.nn.RMSNorm,
)  # fmt: skip
_LOOK = 64  # elements, before all are looked at


@contextmanager
def varied_norms(seed: int) -> Iterator[None]:
    """Norms that are made meanwhile have varied weights from the beginning, so that a kernel may fold them into
    others when it is made. They depend on shape and seed alone: models with other names get the same."""
    before = [(kind, kind.__dict__["reset_parameters"]) for kind in _NORMS]

    def varying(reset: Callable[[Any], None]) -> Callable[[Any], None]:
        def reset_parameters(norm: Any) -> None:
            reset(norm)
            for name, tensor in _kept_by(norm):
                with torch.no_grad():
                    tensor.copy_(_values(seed, name, tensor, *_RANGES[name]))

        return reset_parameters

    try:
        for kind, reset in before:
            kind.reset_parameters = varying(reset)  # type: ignore[attr-defined]
        yield
    finally:
        for kind, reset in before:
            kind.reset_parameters = reset  # type: ignore[attr-defined]


def norms_of(model: torch.nn.Module, seed: int) -> list[str]:
    """The names of what norms keep, as they were made varied."""
    return [
        f"{path}.{name}" if path else name
        for path, part in model.named_modules()
        if isinstance(part, _NORMS)
        for name, tensor in _kept_by(part)
        if torch.equal(tensor.detach(), _values(seed, name, tensor, *_RANGES[name]).to(tensor.device, tensor.dtype))
    ]


def vary_constants(model: torch.nn.Module, seed: int) -> list[str]:
    """The names of other parameters whose elements were all alike, and no longer are."""
    varied = []
    for name, parameter in model.named_parameters():
        constant = _constant(parameter.detach())
        if constant is None:
            continue
        low, high = _RANGES["bias"] if constant == 0 else sorted((0.5 * constant, 1.5 * constant))
        with torch.no_grad():
            parameter.copy_(_values(seed, name, parameter, low, high))
        varied.append(name)
    return varied


def _kept_by(norm: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for name in _RANGES:
        tensor = getattr(norm, name, None)
        if isinstance(tensor, torch.Tensor) and tensor.is_floating_point() and not tensor.is_meta:
            yield name, tensor


def _constant(parameter: torch.Tensor) -> float | None:
    if parameter.numel() < 2 or not parameter.is_floating_point() or parameter.is_meta:
        return None
    flat = parameter.reshape(-1)
    if not bool((flat[:_LOOK] == flat[0]).all()) or not bool((flat == flat[0]).all()):
        return None
    value = float(flat[0])
    return value if abs(value) < 1e4 else None


def _values(seed: int, name: str, like: torch.Tensor, low: float, high: float) -> torch.Tensor:
    """Numbers of this seed, name and shape, without a step of the generators that sources use."""
    key = hashlib.sha256(f"{seed} {name} {list(like.shape)}".encode()).digest()
    generator = torch.Generator(device="cpu").manual_seed(int.from_bytes(key[:8], "little"))
    drawn = torch.rand(like.shape, generator=generator, device="cpu", dtype=torch.float64)
    return low + (high - low) * drawn
