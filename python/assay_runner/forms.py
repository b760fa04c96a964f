"""The ways in which a source can offer something to run."""

from __future__ import annotations

import copy
import inspect
import sys
import types
from typing import Any, Callable, Mapping, Sequence

import torch

from assay_runner import verdicts
from assay_runner.failures import submitted_code
from assay_runner.source import MODULE_NAME

_PROVIDERS = ("get_inputs", "get_init_inputs")


class Form:
    """Something that can be called with the arguments of a run."""

    takes_state = False
    state_of: torch.nn.Module | None = None

    def construct(self, arguments: Sequence[Any]) -> None:
        """Called once, before the first run, after the generators are seeded."""

    def call(self, arguments: Sequence[Any]) -> Any:
        raise NotImplementedError

    def remember(self) -> None:
        """Keeps what the next call may change, for a copy made afterwards."""

    def mark(self) -> None:
        """From here on, `kept` tells what calls change."""

    def kept(self) -> dict[str, torch.Tensor]:
        """The buffers of numbers that calls have changed, such as running means."""
        return {}

    def copied(self, dtype: torch.dtype | None = None, of_last_call: bool = False) -> Form:
        """One whose calls leave this as it is, so far as it keeps what it keeps in a model. With a dtype
        it computes in that, where it is called with it and asks for nothing else."""
        raise verdicts.unsupported("a copy of this kind of kernel")


class FunctionForm(Form):
    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._fits = False

    def call(self, arguments: Sequence[Any]) -> Any:
        if not self._fits:
            self._must_fit(arguments)
        return self._function(*arguments)

    def copied(self, dtype: torch.dtype | None = None, of_last_call: bool = False) -> Form:
        return self

    def _must_fit(self, arguments: Sequence[Any]) -> None:
        try:
            signature = inspect.signature(self._function)
        except (TypeError, ValueError):  # compiled: it says itself what it takes
            self._fits = True
            return
        try:
            signature.bind(*arguments)
        except TypeError as error:
            name = getattr(self._function, "__name__", "the function")
            raise verdicts.did_not_compile(
                f"{len(arguments)} arguments do not fit {name}{signature}: {error}"
            ) from None
        self._fits = True


class ChangingState:
    """What calls of a model change beside its weights: buffers and numbers."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
        self._numbers = {name: _numbers(part) for name, part in model.named_modules()}

    def restore(self, model: torch.nn.Module) -> None:
        """Into a copy of the model."""
        for name, part in model.named_modules():
            vars(part).update(self._numbers.get(name, {}))
        for name, buffer in self._buffers.items():
            owner, _, own = name.rpartition(".")
            model.get_submodule(owner)._buffers[own] = buffer.clone()


def _numbers(part: torch.nn.Module) -> dict[str, Any]:
    return {name: value for name, value in vars(part).items() if type(value) in (bool, int, float)}


class ClassForm(Form):
    """An object of a class, made with arguments of the source, the contract or the metadata."""

    def __init__(
        self,
        kind: type,
        method: str | None,
        metadata: Mapping[str, Any],
        place: Callable[[torch.nn.Module], torch.nn.Module],
    ) -> None:
        self._kind = kind
        self._metadata = metadata
        self._place = place
        self.takes_state = issubclass(kind, torch.nn.Module)
        self._method = method or ("__call__" if self._callable() else "forward")
        if self.takes_state and self._method == "forward":
            self._method = "__call__"
        if not callable(getattr(kind, self._method, None)):
            raise verdicts.did_not_compile(f"class '{kind.__name__}' has no method '{self._method}'")
        self._bound: Callable[..., Any] | None = None
        self._remembered: ChangingState | None = None
        self._marked: dict[str, torch.Tensor] = {}

    def _callable(self) -> bool:
        return self.takes_state or "__call__" in dir(self._kind)

    def construct(self, arguments: Sequence[Any]) -> None:
        keywords = self._metadata.get("init_kwargs") or {}
        given = self._metadata.get("init_args")
        if given is None and not keywords:
            given = arguments
        with submitted_code(loading=True):
            made = self._kind(*(given or ()), **keywords)
            if self.takes_state:
                made = self.state_of = self._place(made)
            self._bound = getattr(made, self._method)

    def call(self, arguments: Sequence[Any]) -> Any:
        if self._bound is None:
            self.construct(())
        assert self._bound is not None
        if not self.takes_state:
            return self._bound(*arguments)
        with torch.no_grad():
            return self._bound(*arguments)

    def remember(self) -> None:
        if self.state_of is not None:
            self._remembered = ChangingState(self.state_of)

    def mark(self) -> None:
        self._marked = {name: buffer.clone() for name, buffer in self._buffers()}

    def kept(self) -> dict[str, torch.Tensor]:
        return {name: buffer for name, buffer in self._buffers()
                if name in self._marked and not torch.equal(buffer, self._marked[name])}  # fmt: skip

    def _buffers(self) -> list[tuple[str, torch.Tensor]]:
        if self.state_of is None:
            return []
        named = torch.nn.Module.named_buffers(self.state_of)  # whatever the model's own says
        return [(name, buffer) for name, buffer in named if buffer.is_floating_point()]

    def copied(self, dtype: torch.dtype | None = None, of_last_call: bool = False) -> Form:
        if self.state_of is None:
            return self
        with submitted_code():
            other = copy.copy(self)
            other.state_of = copy.deepcopy(self.state_of)
            if of_last_call and self._remembered is not None:
                self._remembered.restore(other.state_of)
            other.state_of.to(dtype)
            other._bound = getattr(other.state_of, self._method)
        return other


class Chooser:
    """Finds the form of a loaded source."""

    def __init__(
        self,
        module: types.ModuleType,
        request: Mapping[str, Any],
        place: Callable[[torch.nn.Module], torch.nn.Module],
    ) -> None:
        self._names = module.__dict__
        self._type = request["type"]
        self._metadata = request.get("metadata") or {}
        self._role = request.get("role")
        self._args = request.get("args")
        self._launch = request.get("launch") or {}
        self._place = place

    def choose(self) -> Form:
        if self._type == "multi_kernel":
            return self._entry_point()
        name = self._metadata.get("function_name")
        if name:
            return FunctionForm(self._callable(name, "function"))
        if self._metadata.get("class_name"):
            return self._class(self._metadata["class_name"])
        if self._type == "triton" and "triton" in sys.modules:
            kernel = self._bare_triton_kernel()
            if kernel is not None:
                return kernel
        return self._model() or self._only_function()

    def _entry_point(self) -> Form:
        name = self._metadata.get("entry_point", "")
        if not name:
            raise verdicts.did_not_compile("metadata.entry_point must name the function to call")
        if name not in self._names:
            raise verdicts.did_not_compile(f"Entry point '{name}' not found")
        if isinstance(self._names[name], type):
            return self._class(name)
        return FunctionForm(self._callable(name, "Entry point"))

    def _callable(self, name: str, what: str) -> Callable[..., Any]:
        found = self._names.get(name)
        if found is None:
            raise verdicts.did_not_compile(f"{what} '{name}' not found{self._defined()}")
        if not callable(found):
            raise verdicts.did_not_compile(f"{what} '{name}' is not callable")
        return found  # type: ignore[no-any-return]

    def _class(self, name: str) -> Form:
        found = self._callable(name, "class")
        if not isinstance(found, type):
            raise verdicts.did_not_compile(f"'{name}' is not a class")
        return ClassForm(found, self._metadata.get("method_name"), self._metadata, self._place)

    def _model(self) -> Form | None:
        """A file may hold the reference beside the new model: each side runs its own."""
        role = self._role or ("reference" if self._type == "torch" else "candidate")
        order = ("Model", "ModelNew") if role == "reference" else ("ModelNew", "Model")
        for name in order:
            if isinstance(self._names.get(name), type):
                return self._class(name)
        return None

    def _bare_triton_kernel(self) -> Form | None:
        from assay_runner import triton_kernels

        name = self._metadata.get("kernel_name")
        if not name and (self._args is None or self._model() is not None):
            return None
        return triton_kernels.choose(self._names, name, self._args or [], self._launch)

    def _only_function(self) -> Form:
        functions = self._public_functions()
        if len(functions) == 1:
            return FunctionForm(functions[0])
        raise verdicts.did_not_compile(
            "found neither a class 'Model' or 'ModelNew' nor exactly one function to run"
            + self._defined()
            + ". Say which one to call with metadata.function_name or class_name, "
            "or with --kernel-name on the command line"
        )

    def _public_functions(self) -> list[Callable[..., Any]]:
        return [
            value
            for name, value in self._names.items()
            if not name.startswith("_")
            and name not in _PROVIDERS
            and (
                (inspect.isfunction(value) and value.__module__ == MODULE_NAME)
                or isinstance(value, torch.jit.ScriptFunction)
            )
        ]

    def _defined(self) -> str:
        own = [
            name
            for name, value in self._names.items()
            if callable(value) and getattr(value, "__module__", None) == MODULE_NAME
        ]
        return f" (the source defines: {', '.join(own)})" if own else ""
