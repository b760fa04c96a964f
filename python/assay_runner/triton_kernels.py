"""A bare `@triton.jit` kernel, launched as its contract says."""

from __future__ import annotations

import inspect
import math
from typing import Any, Iterator, Mapping, Sequence

import triton
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import KernelInterface

from assay_runner import verdicts
from assay_runner.forms import Form

Argument = Mapping[str, Any]  # {"name": str, "meta": bool}


def choose(
    names: Mapping[str, Any],
    wanted: str | None,
    args: Sequence[Argument],
    launch: Mapping[str, Any],
) -> Form | None:
    """The kernel named, or else the first that can take the arguments. None where the source has
    no kernel, or the name is that of an ordinary function."""
    kernels = {name: value for name, value in names.items() if isinstance(value, KernelInterface)}
    if wanted and wanted in kernels:
        return TritonForm(kernels[wanted], args, launch)
    if wanted:
        if callable(names.get(wanted)):
            return None
        available = ", ".join(kernels) or "none"
        raise verdicts.did_not_compile(f"kernel '{wanted}' not found; available: {available}")
    fitting = [kernel for kernel in kernels.values() if _fits(kernel, args)]
    first = next(iter(fitting or kernels.values()), None)
    return None if first is None else TritonForm(first, args, launch)


def _fits(kernel: Any, args: Sequence[Argument]) -> bool:
    """Helpers that a kernel calls are `@triton.jit` too, but have other parameters."""
    return {arg["name"] for arg in args} <= set(kernel.arg_names)


def _layers(kernel: Any) -> Iterator[Any]:
    """The kernel within its decorators, outermost first, and the function itself last."""
    while isinstance(kernel, KernelInterface):
        yield kernel
        kernel = getattr(kernel, "fn", None)
    yield kernel


def _autotuner(kernel: Any) -> Autotuner | None:
    return next((layer for layer in _layers(kernel) if isinstance(layer, Autotuner)), None)


def _optional(kernel: Any) -> set[str]:
    """Parameters that are computed or tuned, or that have a default."""
    *decorators, function = _layers(kernel)
    names = {name for layer in decorators if isinstance(layer, Heuristics) for name in layer.values}
    tuner = _autotuner(kernel)
    names |= {name for config in (tuner.configs if tuner else ()) for name in config.all_kwargs()}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is not inspect.Parameter.empty:
            names.add(name)
    return names


class TritonForm(Form):
    def __init__(self, kernel: Any, args: Sequence[Argument], launch: Mapping[str, Any]) -> None:
        self._kernel = kernel
        self._launch = launch
        tuner = _autotuner(kernel)
        tuned = {name for config in tuner.configs for name in config.kwargs} if tuner else set()
        self._options: dict[str, Any] = {}
        if tuner is None:  # otherwise each of its configurations says
            for option in ("num_warps", "num_stages"):
                if launch.get(option) is not None:
                    self._options[option] = launch[option]
        self._args = list(args)
        self._parameters = self._match(kernel.arg_names)
        self._given = [parameter not in tuned for parameter in self._parameters]
        self._must_be_complete(_optional(kernel) | set(self._options))

    def _match(self, parameters: Sequence[str]) -> list[str]:
        """The parameter of each argument: the one of its name, or else the one at its place."""
        taken = {arg["name"] for arg in self._args} & set(parameters)
        matched = []
        for place, arg in enumerate(self._args):
            if arg["name"] in parameters:
                matched.append(arg["name"])
            elif place < len(parameters) and parameters[place] not in taken:
                matched.append(parameters[place])
            else:
                raise verdicts.did_not_compile(
                    f"the kernel has no parameter for argument '{arg['name']}'; "
                    f"it takes: {', '.join(parameters)}"
                )
        return matched

    def _must_be_complete(self, optional: set[str]) -> None:
        known = optional | set(self._parameters)
        missing = [name for name in self._kernel.arg_names if name not in known]
        if missing:
            raise verdicts.did_not_compile(
                f"the contract has no argument for parameter '{missing[0]}' of the kernel; "
                f"it takes: {', '.join(self._kernel.arg_names)}"
            )

    def call(self, arguments: Sequence[Any]) -> None:
        positional, keywords = self._bind(arguments)
        values = {
            arg["name"]: value
            for arg, value, given in zip(self._args, arguments, self._given)
            if given  # the others have the value of the configuration chosen
        }
        self._kernel[lambda meta: self._grid(values, meta)](
            *positional, **keywords, **self._options
        )

    def _bind(self, arguments: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """By position as long as possible: pruning functions of an autotuner look there."""
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for parameter, given, arg, value in zip(
            self._parameters, self._given, self._args, arguments
        ):
            if not given:
                continue
            in_turn = not keywords and parameter == self._kernel.arg_names[len(positional)]
            if in_turn and not arg["meta"]:
                positional.append(value)
            else:
                keywords[parameter] = value
        return positional, keywords

    def _grid(self, values: Mapping[str, Any], meta: Mapping[str, Any]) -> tuple[int, ...]:
        expressions = self._launch.get("grid_expr")
        if not expressions:
            return tuple(self._launch.get("grid") or (1,))
        names = {"triton": triton, "math": math, "cdiv": triton.cdiv, **meta, **values}
        grid: list[int] = []
        for expression in [expressions] if isinstance(expressions, str) else expressions:
            grid.extend(_evaluate(expression, names))
        return tuple(grid)


def _evaluate(expression: str | int, names: dict[str, Any]) -> list[int]:
    try:
        value = eval(str(expression), dict(names))
        return [int(part) for part in (value if isinstance(value, (list, tuple)) else [value])]
    except Exception as error:
        raise verdicts.did_not_compile(
            f"the grid '{expression}' cannot be evaluated: {type(error).__name__}: {error}"
        ) from None
