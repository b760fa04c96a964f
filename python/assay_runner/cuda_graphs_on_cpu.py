"""CUDA graphs on the processor: what is captured is noted, and done again at every replay."""

from __future__ import annotations

from typing import Any, Callable

import torch
import torch.cuda.graphs
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from assay_runner import verdicts
from assay_runner.host_launches import HostLaunches

_Step = Callable[[], Any]
_NEED_VALUES = ("aten::_local_scalar_dense", "aten::nonzero", "aten::equal")


class _Recorder(TorchDispatchMode):  # type: ignore[misc]
    """Operators must run to know what they give, but what they change is put back at the end: a GPU
    does nothing while it captures."""

    def __init__(self, steps: list[_Step]) -> None:
        super().__init__()
        self._steps = steps
        self._changed: list[tuple[torch.Tensor, torch.Tensor]] = []

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if function._schema.name in _NEED_VALUES:
            raise RuntimeError("CUDA error: operation not permitted when stream is capturing")
        self._keep_what_changes(function, args, kwargs)
        given = function(*args, **kwargs)
        self._steps.append(lambda: _repeat(function, args, kwargs, given))
        return given

    def _keep_what_changes(self, function: Any, args: Any, kwargs: dict[str, Any]) -> None:
        for place, parameter in enumerate(function._schema.arguments):
            if parameter.alias_info is None or not parameter.alias_info.is_write:
                continue
            value = args[place] if place < len(args) else kwargs.get(parameter.name)
            for tensor in tree_leaves(value):
                if isinstance(tensor, torch.Tensor):
                    self._changed.append((tensor, tensor.clone()))

    def put_back(self) -> None:
        for tensor, before in reversed(self._changed):
            _copy(tensor, before)


def _repeat(function: Any, args: Any, kwargs: dict[str, Any], given: Any) -> None:
    for old, new in zip(tree_leaves(given), tree_leaves(function(*args, **kwargs))):
        if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
            _copy(old, new)


def _copy(to: torch.Tensor, values: torch.Tensor) -> None:
    with torch.no_grad():
        to.detach().copy_(values)


_capturing: list[_Step] | None = None  # of the one capture that there can be


def is_capturing() -> bool:
    return _capturing is not None


def captured(step: _Step) -> bool:
    """Whether it was only noted. For what is no operator of torch."""
    if _capturing is None:
        return False
    _capturing.append(step)
    return True


class CUDAGraph:
    def __init__(self, keep_graph: bool = False) -> None:
        self._steps: list[_Step] = []
        self._recorder: _Recorder | None = None

    def capture_begin(self, pool: Any = None, capture_error_mode: str = "global") -> None:
        global _capturing
        if HostLaunches.in_use:
            raise verdicts.unsupported(
                "the cpu device cannot capture the kernels of an extension in a CUDA graph"
            )
        self._recorder = _Recorder(self._steps)
        self._recorder.__enter__()
        _capturing = self._steps

    def capture_end(self) -> None:
        global _capturing
        _capturing = None
        if self._recorder is None:  # capture_begin refused
            return
        self._recorder.__exit__(None, None, None)
        self._recorder.put_back()
        self._recorder = None

    def replay(self) -> None:
        with torch.no_grad():
            for step in self._steps:
                step()

    def reset(self) -> None:
        self._steps.clear()

    def pool(self) -> tuple[int, int]:
        return (0, 1)

    def instantiate(self) -> None:
        pass

    def enable_debug_mode(self) -> None:
        pass

    def debug_dump(self, debug_path: str) -> None:
        pass


def install() -> None:
    cuda: Any = torch.cuda
    cuda.CUDAGraph = cuda.graphs.CUDAGraph = CUDAGraph
    cuda.is_current_stream_capturing = cuda.graphs.is_current_stream_capturing = is_capturing
    cuda.graph_pool_handle = cuda.graphs.graph_pool_handle = lambda: (0, 1)
    torch._C._host_emptyCache = lambda: None
