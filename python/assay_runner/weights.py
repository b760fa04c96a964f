"""Weights that an author left at ones and zeros, made to differ. A kernel that leaves out a norm's weights is right
only as long as they do nothing."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator

import torch

# What norms keep, and between which numbers it is made to lie.
_RANGES = {"weight": (0.5, 1.5), "bias": (-0.5, 0.5), "running_mean": (-0.5, 0.5), "running_var": (0.5, 2.0)}
_NORMS: tuple[type, ...] = (
    torch.nn.modules.batchnorm._NormBase, torch.nn.LayerNorm, torch.nn.GroupNorm, torch.nn.RMSNorm,
)  # fmt: skip
# Buffers of whatever module, and the name above that says between which numbers.
_STATISTICS = {"running_mean": "running_mean", "mean": "running_mean",
               "running_var": "running_var", "var": "running_var", "std": "running_var"}  # fmt: skip
_PLAIN = (torch.float64, torch.float32, torch.float16, torch.bfloat16)  # what torch can compare and draw
_FILLING = ("_no_grad_fill_", "_no_grad_zero_")  # of torch.nn.init: what constant_, ones_ and zeros_ go by
MOST_MADE = 1 << 16  # elements of a parameter that is varied while it is made; on the processor
_LOOK = 64  # elements, before all are looked at
_TINY = 0.05  # a weight below hides whatever it scales, and half as much again still does
_VISIBLE = (0.05, 0.5)


@contextmanager
def varied_norms(seed: int) -> Iterator[None]:
    """Norms that are made meanwhile have varied weights from the beginning, so that a kernel may fold them into
    others when it is made. So have the statistics of norms that an author wrote himself. They depend on shape and
    seed alone: models with other names get the same."""
    before = [(kind, kind.__dict__["reset_parameters"]) for kind in _NORMS]
    registered = torch.nn.Module.register_buffer

    def register_buffer(module: torch.nn.Module, name: str, tensor: Any, *options: Any, **named: Any) -> None:
        registered(module, name, tensor, *options, **named)
        if name in _STATISTICS and not isinstance(module, _NORMS) and _is_constant_array(tensor):
            with torch.no_grad():
                tensor.copy_(_values(seed, name, tensor, *_RANGES[_STATISTICS[name]]))

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
        torch.nn.Module.register_buffer = register_buffer
        yield
    finally:
        torch.nn.Module.register_buffer = registered
        for kind, reset in before:
            kind.reset_parameters = reset  # type: ignore[attr-defined]


@contextmanager
def varied_parameters(seed: int) -> Iterator[list[tuple[torch.Tensor, torch.Tensor]]]:
    """Parameters that are registered meanwhile, and whose elements are all alike, vary at once; also if torch.nn.init
    makes them alike later. Yields them, with the numbers they got."""
    made: list[tuple[torch.Tensor, torch.Tensor]] = []
    names: dict[int, str] = {}  # of what is kept alive by its module, or by `held`
    held = []
    before = torch.nn.Module.register_parameter
    fillers = {name: getattr(torch.nn.init, name) for name in _FILLING}

    def register_parameter(module: torch.nn.Module, name: str, parameter: Any) -> None:
        before(module, name, parameter)
        if parameter is None or isinstance(module, _NORMS) or not _is_plain(parameter):
            return
        names[id(parameter)] = name
        held.append(parameter)
        vary(parameter, name)

    def filling(fill: Callable[..., Any]) -> Callable[..., Any]:
        def filled(tensor: torch.Tensor, *options: Any, **named: Any) -> Any:
            result = fill(tensor, *options, **named)
            if id(tensor) in names:  # a module that registers its parameters empty
                vary(tensor, names[id(tensor)])
            return result

        return filled

    def vary(parameter: torch.Tensor, name: str) -> None:
        if parameter.numel() > MOST_MADE:
            return
        constant = _constant(parameter)
        if constant is None:
            return
        try:
            with torch.no_grad():
                parameter.copy_(_values(seed, name, parameter, *_range_around(constant)))
        except RuntimeError:  # elements that share memory cannot differ
            return
        made.append((parameter, parameter.detach().clone()))

    torch.nn.Module.register_parameter = register_parameter
    for name, fill in fillers.items():
        setattr(torch.nn.init, name, filling(fill))
    try:
        yield made
    finally:
        torch.nn.Module.register_parameter = before
        for name, fill in fillers.items():
            setattr(torch.nn.init, name, fill)


def still_made(model: torch.nn.Module, made: list[tuple[torch.Tensor, torch.Tensor]]) -> list[str]:
    """The names of those that the model kept as they were made. It may have moved since then, as to a GPU."""
    values = {id(parameter): drawn for parameter, drawn in made}
    return [
        name
        for name, parameter in model.named_parameters()
        if id(parameter) in values and _holds(parameter, values[id(parameter)])
    ]


def norms_of(model: torch.nn.Module, seed: int) -> list[str]:
    """The names of what norms keep, as they were made varied."""
    return [
        f"{path}.{name}" if path else name
        for path, part in model.named_modules()
        for name, tensor in _kept_by(part, _RANGES if isinstance(part, _NORMS) else _STATISTICS)
        if _holds(tensor, _values(seed, name, tensor, *_RANGES[_STATISTICS.get(name, name)]))
    ]


def vary_constants(model: torch.nn.Module, seed: int) -> list[str]:
    """The names of other parameters whose elements were all alike, and no longer are. They are drawn where they lie:
    they may be large, and only the reference draws them."""
    varied = []
    for name, parameter in model.named_parameters():
        constant = _constant(parameter)
        if constant is None:
            continue
        low, high = _range_around(constant)
        generator = torch.Generator(device=parameter.device).manual_seed(_key(seed, name, parameter))
        try:
            with torch.no_grad():
                parameter.uniform_(low, high, generator=generator)
        except RuntimeError:  # elements that share memory cannot differ
            continue
        varied.append(name)
    return varied


def _kept_by(norm: torch.nn.Module, names: Iterable[str] = _RANGES) -> Iterator[tuple[str, torch.Tensor]]:
    for name in names:
        tensor = getattr(norm, name, None)
        if isinstance(tensor, torch.Tensor) and _is_plain(tensor):
            yield name, tensor


def _holds(tensor: torch.Tensor, values: torch.Tensor) -> bool:
    """Whether it has these numbers, wherever it lies and however wide its own are."""
    return bool(torch.equal(tensor.detach(), values.to(tensor.device, tensor.dtype)))


def _is_plain(tensor: torch.Tensor) -> bool:
    """Whether it has elements already, and torch can do with them what is done here."""
    return not torch.nn.parameter.is_lazy(tensor) and tensor.dtype in _PLAIN and not tensor.is_meta


def _range_around(constant: float) -> tuple[float, float]:
    if constant == 0:
        return _RANGES["bias"]
    if 0 < constant < _TINY:
        return _VISIBLE
    low, high = sorted((0.5 * constant, 1.5 * constant))
    return low, high


def _constant(parameter: torch.Tensor) -> float | None:
    """Of a lone number only zero: it opens a branch that did nothing. Another may be a power or a count."""
    if not _is_plain(parameter) or parameter.numel() == 0:
        return None
    if parameter.numel() == 1 and float(parameter) != 0:
        return None
    flat = parameter.detach().reshape(-1)
    if not bool((flat[:_LOOK] == flat[0]).all()) or not bool((flat == flat[0]).all()):
        return None
    value = float(flat[0])
    return value if abs(value) < 1e4 else None


def _is_constant_array(tensor: Any) -> bool:
    """One whose elements are all alike, and can differ."""
    return (isinstance(tensor, torch.Tensor) and _is_plain(tensor) and tensor.numel() > 1
            and tensor.is_contiguous() and _constant(tensor) is not None)  # fmt: skip


def _values(seed: int, name: str, like: torch.Tensor, low: float, high: float) -> torch.Tensor:
    """Numbers of this seed, name and shape, without a step of the generators that sources use."""
    generator = torch.Generator(device="cpu").manual_seed(_key(seed, name, like))
    drawn = torch.rand(like.shape, generator=generator, device="cpu", dtype=torch.float64)
    return low + (high - low) * drawn


def _key(seed: int, name: str, like: torch.Tensor) -> int:
    key = hashlib.sha256(f"{seed} {name} {list(like.shape)}".encode()).digest()
    return int.from_bytes(key[:8], "little")
