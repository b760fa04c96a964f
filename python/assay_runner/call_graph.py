"""A call as a CUDA graph: captured once, launched at every timed call."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch

from assay_runner.verdicts import unsupported

Answer = Sequence[torch.Tensor] | None
_Graph, _capture, _Stream = torch.cuda.CUDAGraph, torch.cuda.graph, torch.cuda.Stream
_APART = 0.05  # of the largest element: what two runs of one kernel never are


class CallGraph:
    """`changing` are inputs that may be changed: after that the graph must answer as the call does. `returned`
    tells what the last call returned."""

    def __init__(
        self, call: Callable[[], Answer], changing: Sequence[torch.Tensor], returned: Callable[[], Any]
    ) -> None:
        self._graph = _Graph()
        self._settle(call)
        try:
            with _capture(self._graph, capture_error_mode="thread_local"):
                self._answer = call()
            self.returned = returned()  # every launch writes it anew
            torch.cuda.synchronize()
        except RuntimeError as error:
            raise unsupported(f"the call cannot be captured as a CUDA graph: {_first_line(error)}") from error
        self._must_follow(call, changing)

    @staticmethod
    def _settle(call: Callable[[], Answer]) -> None:
        """What is done at first calls alone must not come into the graph."""
        stream = _Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                call()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()

    def _must_follow(self, call: Callable[[], Answer], changing: Sequence[torch.Tensor]) -> None:
        """A kernel on a stream of its own is not captured: it ran once, and never runs again."""
        answers = []
        with torch.no_grad():
            for tensor in changing:
                tensor.mul_(0.5)
            for once in (self.launch, call):
                answer = once()
                answers.append([_plain(tensor) for tensor in (changing if answer is None else answer)])
                torch.cuda.synchronize()
            for tensor in changing:
                tensor.mul_(2.0)
        if any(_differ(*pair) for pair in zip(*answers, strict=True)):
            raise unsupported(
                "the call cannot be captured as a CUDA graph: launched over other inputs, the graph answers "
                "otherwise than the call. Launch kernels on torch's current stream"
            )

    def launch(self) -> Answer:
        self._graph.replay()
        return self._answer


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """A copy whose elements can be subtracted."""
    parts = torch.view_as_real(tensor) if tensor.is_complex() else tensor
    return torch.nan_to_num(parts.to(torch.float32))


def _differ(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.numel() == 0:
        return False
    return bool((one - other).abs().max() > _APART * other.abs().max())


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
