"""What simt found in the kernels that an extension launched on the `cpu` device."""

from __future__ import annotations

import ctypes
import gc
from contextlib import contextmanager
from typing import Any, Iterator, Sequence

import torch

from assay_runner import verdicts

_MAX_FINDINGS = 8
_CHECKS = {"memory": 1, "race": 2, "init": 4, "sync": 8}
# By number, as assay_simt_finding_kind has them.
_KINDS = (
    "unknown out_of_bounds misaligned uninitialised_read race barrier_divergence deadlock "
    "wild_access stack_overflow trap assert invalid_launch illegal_instruction warp_misuse unsupported"
).split()


# The structures of assay/simt_abi.h.
class _Array(ctypes.Structure):
    _fields_ = [
        ("base", ctypes.c_void_p),
        ("size", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("element_size", ctypes.c_uint32),
        ("initialised", ctypes.c_uint32),
    ]


class _Options(ctypes.Structure):
    _fields_ = [
        ("seed", ctypes.c_uint64),
        ("sanitize", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("allocations", ctypes.c_void_p),
        ("allocation_count", ctypes.c_size_t),
        ("cooperative", ctypes.c_uint32),
        ("max_shared_bytes", ctypes.c_uint32),
    ]


class _Place(ctypes.Structure):
    _fields_ = [
        ("thread", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("line", ctypes.c_uint32),
        ("is_write", ctypes.c_uint32),
        ("is_atomic", ctypes.c_uint32),
    ]

    def describe(self) -> dict[str, Any]:
        place: dict[str, Any] = {
            "thread": list(self.thread),
            "block": list(self.block),
            "is_write": bool(self.is_write),
            "is_atomic": bool(self.is_atomic),
        }
        if self.line:
            place["line"] = self.line
        return place


class _Finding(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("space", ctypes.c_uint32),
        ("index", ctypes.c_int64),
        ("address", ctypes.c_uint64),
        ("access_size", ctypes.c_uint32),
        ("has_other", ctypes.c_uint32),
        ("place", _Place),
        ("other", _Place),
        ("array", ctypes.c_char * 64),
        ("message", ctypes.c_char * 256),
    ]

    def kind_name(self) -> str:
        return _KINDS[self.kind] if self.kind < len(_KINDS) else _KINDS[0]

    def text(self) -> str:
        return str(self.message.decode(errors="replace"))

    def describe(self) -> dict[str, Any]:
        finding = {
            "kind": self.kind_name(),
            "message": self.text(),
            "place": self.place.describe(),
        }
        if self.array:
            finding["array"] = self.array.decode(errors="replace")
            finding["index"] = self.index
        if self.has_other:
            finding["other"] = self.other.describe()
        return finding


class _Report(ctypes.Structure):
    _fields_ = [
        ("status", ctypes.c_int32),
        ("finding_count", ctypes.c_uint32),
        ("finding_total", ctypes.c_uint64),
        ("findings", _Finding * _MAX_FINDINGS),
    ]


class HostLaunches:
    """The runtime that extensions are linked with."""

    in_use = False  # in this process

    def __init__(self, library: ctypes.CDLL, sanitize: Sequence[str], seed: int) -> None:
        HostLaunches.in_use = True
        self._library = library
        self._declares = any(check != "sync" for check in sanitize)
        bits = sum(_CHECKS[check] for check in sanitize)
        library.assay_simt_catch_faults()
        library.assay_simt_configure_host_launches(ctypes.byref(_Options(seed=seed, sanitize=bits)))

    @contextmanager
    def watched(self) -> Iterator[None]:
        """What was found in here is the answer, whatever else came of it."""
        if self._declares:
            self._declare_tensors()
        try:
            yield
        finally:
            self._refuse_findings()

    def _declare_tensors(self) -> None:
        """Those that are there already; the extension itself tells of the ones to come."""
        for found in gc.get_objects():
            if not issubclass(type(found), torch.Tensor) or not _has_memory(found):
                continue
            storage = found.untyped_storage()
            array = _Array(storage.data_ptr(), storage.nbytes(), None, found.element_size(), 1)
            self._library.assay_simt_declare_array(ctypes.byref(array))

    def _refuse_findings(self) -> None:
        report = _Report()
        self._library.assay_simt_take_host_report(ctypes.byref(report))
        if report.finding_count == 0:
            return
        findings = report.findings[: min(report.finding_count, _MAX_FINDINGS)]
        reason = f"{findings[0].kind_name()}: {findings[0].text()}"
        raise _refusal(findings[0].kind_name(), reason).with_findings(
            [finding.describe() for finding in findings]
        )


def _has_memory(tensor: torch.Tensor) -> bool:
    try:
        return bool(tensor.data_ptr() != 0 and tensor.device.type == "cpu")
    except RuntimeError:  # sparse, functional, or otherwise without a storage
        return False


def _refusal(kind: str, reason: str) -> verdicts.Refusal:
    """As for kernels that are launched from outside."""
    if kind == "unsupported":
        return verdicts.unsupported(reason)
    if kind in ("race", "uninitialised_read"):
        return verdicts.non_deterministic(reason)
    return verdicts.crashed(reason, "")
