"""What the server answers."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, TypedDict

ENDED = ("done", "failed", "cancelled")


@dataclass(frozen=True)
class RuntimeStats:
    """Milliseconds; all zero where nothing was timed."""

    mean: float = 0.0
    std: float = 0.0
    min: float = 0.0
    max: float = 0.0
    median: float = 0.0
    percentile_95: float = 0.0
    percentile_99: float = 0.0

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> RuntimeStats:
        return RuntimeStats(**{name: float(values.get(name, 0.0)) for name in _STATISTICS})


_STATISTICS = ("mean", "std", "min", "max", "median", "percentile_95", "percentile_99")


class KernelExecutionResult(TypedDict, total=False):
    """`runtime` is the mean in milliseconds. An error text is there only if there is an error."""

    compiled: bool
    correctness: bool
    runtime: float
    metadata: Dict[str, Any]
    runtime_stats: RuntimeStats
    compilation_error: str
    validation_error: str


class EvaluationResult(TypedDict, total=False):
    """The compatible answer to `evaluate`; docs/api.md says what every key means."""

    job_id: str
    status: str
    verdict: str
    reason: str
    kernel_exec_result: KernelExecutionResult
    pod_name: str
    pod_ip: str
    gpu_type: str


class CompareResult(EvaluationResult, total=False):
    """The compatible answer to `compare`."""

    ref_runtime: RuntimeStats
    speedup: float
    speedup_ci95: List[float]  # absent below six trials
    speed_verdict: str


def compatible_result(body: Mapping[str, Any]) -> CompareResult:
    """A body of the compatible API with its statistics as objects."""
    result: Dict[str, Any] = dict(body)
    if "ref_runtime" in result:
        result["ref_runtime"] = RuntimeStats.from_dict(result["ref_runtime"])
    execution = dict(result.get("kernel_exec_result", {}))
    if "runtime_stats" in execution:
        execution["runtime_stats"] = RuntimeStats.from_dict(execution["runtime_stats"])
    result["kernel_exec_result"] = execution
    return result  # type: ignore[return-value]  # the keys are the server's


@dataclass(frozen=True)
class Event:
    """A job reached a state. `sequence` counts from 1 within a job, without holes."""

    sequence: int
    state: str
    at: str
    detail: str = ""

    @property
    def is_last(self) -> bool:
        return self.state in ENDED


@dataclass(frozen=True)
class Job:
    """A job as the server showed it. `raw` is all of it; `result` is there once it is done."""

    id: str
    state: str
    verdict: Optional[str] = None
    result: Mapping[str, Any] = field(default_factory=dict)
    error: Optional[str] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def from_dict(view: Mapping[str, Any]) -> Job:
        return Job(view["id"], view["state"], view.get("verdict"), view.get("result", {}),
                   view["error"]["message"] if "error" in view else None, view)

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    @property
    def accepted(self) -> bool:
        return self.verdict == "accepted"

    @property
    def reason(self) -> str:
        """One sentence on why it was not accepted; empty if it was."""
        return str(self.result.get("reason", "")) or self.error or ""

    @property
    def speedup(self) -> Optional[float]:
        """Median time of the reference over that of the candidate, where both were timed."""
        speed = self.result.get("speed")
        return float(speed["speedup"]) if speed else None

    @property
    def speed_verdict(self) -> Optional[str]:
        speed = self.result.get("speed")
        return str(speed["verdict"]) if speed else None
