"""Timed rounds behind the worker's gate. The loop around the calls is native code (src/gate), the same
that times `cuda` kernels; here are only the call itself and what it answers with."""

from __future__ import annotations

import ctypes
import os
import pathlib
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import torch

from assay_runner.verdicts import unsupported

_VARIATIONS = ["copied", "float32", "float64", "float16", "bfloat16"]
_MOST_DIMENSIONS = 8
Call = Callable[[], Sequence[torch.Tensor] | None]
_CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32)


class _Input(ctypes.Structure):
    _fields_ = [
        ("source", ctypes.c_uint64),
        ("to", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("how", ctypes.c_uint32),
        ("gentle", ctypes.c_uint32),
    ]


class _Blank(ctypes.Structure):
    _fields_ = [("to", ctypes.c_uint64), ("size", ctypes.c_uint64)]


class _Layout(ctypes.Structure):
    _fields_ = [
        ("dimensions", ctypes.c_uint32),
        ("sizes", ctypes.c_uint64 * _MOST_DIMENSIONS),
        ("in_memory", ctypes.c_uint64 * _MOST_DIMENSIONS),
        ("by_index", ctypes.c_uint64 * _MOST_DIMENSIONS),
    ]


def load_library() -> Any:
    library = ctypes.CDLL(str(pathlib.Path(__file__).parent / "libassay_gate.so"))
    library.assay_gate_open.restype = ctypes.c_void_p
    library.assay_gate_set.restype = None
    library.assay_gate_output.restype = None
    library.assay_gate_kernel.restype = None
    return library


def _layout_of(tensor: torch.Tensor) -> _Layout | None:
    """Nothing for what lies in memory as it is written."""
    if tensor.is_contiguous():
        return None
    by_index = [1] * tensor.dim()
    for i in range(tensor.dim() - 2, -1, -1):
        by_index[i] = by_index[i + 1] * tensor.size(i + 1)
    wide = [i for i in range(tensor.dim()) if tensor.size(i) > 1]
    wide.sort(key=tensor.stride, reverse=True)
    layout = _Layout(dimensions=len(wide))
    for place, i in enumerate(wide):
        layout.sizes[place] = tensor.size(i)
        layout.in_memory[place] = tensor.stride(i)
        layout.by_index[place] = by_index[i]
    return layout


@dataclass(frozen=True)
class GateMemory:
    """Addresses on the device."""

    ledger: int
    sweep: int
    vault: int
    arena: int


class Gate:
    """One kernel's rounds. `call` makes the call and returns the tensors it answered with, or nothing
    where it answered in its arguments."""

    def __init__(
        self, library: Any, message: dict[str, Any], page: int, image: int, memory: GateMemory
    ) -> None:
        self._library = library
        self._kept: list[torch.Tensor] = []  # until their fingerprints are queued
        code = os.pread(image, message["image_size"], 0)  # others read it too, at places of their own
        os.close(image)
        error = ctypes.create_string_buffer(1024)
        handle = library.assay_gate_open(
            page,
            code,
            ctypes.c_size_t(len(code)),
            ctypes.c_uint64(memory.ledger),
            ctypes.c_uint64(memory.sweep),
            ctypes.c_uint64(message["sweep_size"] if message["sweeps"] else 0),
            error,
            ctypes.c_size_t(len(error)),
        )
        if not handle:
            raise unsupported(error.value.decode())
        self._handle = ctypes.c_void_p(handle)
        inputs = [
            _Input(memory.vault + source, memory.arena + to, size, _VARIATIONS.index(how), gentle)
            for source, to, size, how, gentle in message["inputs"]
        ]
        blanks = [_Blank(memory.arena + to, size) for to, size in message["blanks"]]
        library.assay_gate_set(
            self._handle,
            (_Input * len(inputs))(*inputs),
            ctypes.c_size_t(len(inputs)),
            (_Blank * len(blanks))(*blanks),
            ctypes.c_size_t(len(blanks)),
        )
        self._outputs = [
            (memory.arena + to, size // element, element) for to, size, element in message["outputs"]
        ]

    def round(self, message: dict[str, Any], call: Call) -> dict[str, Any]:
        calls = message["calls"]
        events = (ctypes.c_double * calls)()
        queue = (ctypes.c_double * calls)()
        overhead = ctypes.c_double()
        launch = ctypes.c_double()
        self._run(
            call,
            lambda callback, stream, error, size: self._library.assay_gate_round(
                self._handle,
                ctypes.c_uint32(message["number"]),
                ctypes.c_uint32(calls),
                int(message["held"]),
                int(message["events"]),
                stream,
                callback,
                events,
                ctypes.byref(overhead),
                queue,
                ctypes.byref(launch),
                error,
                size,
            ),
        )
        return {
            "reply": "rounded",
            "event_ns": list(events) if message["events"] else [],
            "event_overhead_ns": overhead.value,
            "queue_ns": list(queue),
            "launch_ns": launch.value,
        }

    def host_time(self, calls: int, call: Call) -> list[float]:
        taken = (ctypes.c_double * calls)()
        self._run(
            call,
            lambda callback, stream, error, size: self._library.assay_gate_host_time(
                self._handle, ctypes.c_uint32(calls), stream, callback, taken, error, size
            ),
        )
        return list(taken)

    def trace(self, message: dict[str, Any], call: Call) -> dict[str, Any]:
        """What the GPU's own records tell of the call, or why they tell nothing."""
        busy, span = ctypes.c_double(), ctypes.c_double()
        kernels: list[dict[str, Any]] = []
        missing: list[str] = []

        def run(callback: Any, stream: Any, error: Any, size: Any) -> int:
            count = self._library.assay_gate_trace(
                self._handle,
                ctypes.c_uint32(message["number"]),
                ctypes.c_uint32(message["calls"]),
                int(message["held"]),
                stream,
                callback,
                ctypes.byref(busy),
                ctypes.byref(span),
                error,
                size,
            )
            if count < 0:
                missing.append(error.value.decode(errors="replace"))
            kernels.extend(self._kernel(i) for i in range(count))
            return 0

        self._run(call, run)
        if missing:
            return {"reply": "traced", "missing": missing[0]}
        time = {"busy_ns": busy.value, "span_ns": span.value, "kernels": kernels}
        return {"reply": "traced", "missing": "", "time": time}

    def _kernel(self, which: int) -> dict[str, Any]:
        name = ctypes.create_string_buffer(4096)
        launches, ns, share = ctypes.c_uint64(), ctypes.c_double(), ctypes.c_double()
        self._library.assay_gate_kernel(
            self._handle,
            ctypes.c_uint32(which),
            name,
            ctypes.c_size_t(len(name)),
            ctypes.byref(launches),
            ctypes.byref(ns),
            ctypes.byref(share),
        )
        return {
            "name": name.value.decode(errors="replace"),
            "launches": launches.value,
            "ns": ns.value,
            "share": share.value,
        }

    def _run(self, call: Call, run: Callable[..., int]) -> None:
        failure: list[BaseException] = []

        def once(number: int) -> int:
            self._kept.clear()
            try:
                self._tell(call())
                return 0
            except BaseException as error:
                failure.append(error)
                return 1

        error = ctypes.create_string_buffer(1024)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        status = run(_CALL(once), stream, error, ctypes.c_size_t(len(error)))
        self._kept.clear()
        if failure:
            raise failure[0]
        if status != 0:
            raise RuntimeError(error.value.decode())

    def _tell(self, answer: Sequence[torch.Tensor] | None) -> None:
        if answer is None:
            for address, count, size in self._outputs:
                self._add(address, count, size, None)
            return
        for tensor in answer:
            tensor = tensor.resolve_neg()  # what lies in memory is what is fingerprinted
            if not tensor.is_cuda:
                tensor = tensor.cuda()
            layout = _layout_of(tensor)
            if layout is not None and layout.dimensions > _MOST_DIMENSIONS:
                tensor, layout = tensor.contiguous(), None
            self._kept.append(tensor)
            self._add(tensor.data_ptr(), tensor.numel(), tensor.element_size(), layout)

    def _add(self, address: int, count: int, size: int, layout: _Layout | None) -> None:
        self._library.assay_gate_output(
            self._handle,
            ctypes.c_uint64(address),
            ctypes.c_uint64(count),
            ctypes.c_uint32(size),
            None if layout is None else ctypes.byref(layout),
        )
