"""Requests as values. A plain dict with the same keys is taken wherever one of these is."""
from __future__ import annotations

import dataclasses
import enum
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from .tensors import dtype_name, dtype_text, is_array, literal, plain_scalar

M = TypeVar("M", bound="Model")
Scalar = Union[bool, int, float, str]


class KernelType(str, enum.Enum):
    TORCH = "torch"
    TORCH_CUDA = "torch_cuda"
    TRITON = "triton"
    CUDA = "cuda"
    MULTI_KERNEL = "multi_kernel"


def plain(value: Any) -> Any:
    """JSON of a model, or of a dict that holds models; what is None is left out."""
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


class Model:
    """A dataclass whose fields are the keys of a JSON object."""

    def to_dict(self) -> Dict[str, Any]:
        return {item.name: plain(getattr(self, item.name))
                for item in dataclasses.fields(self)  # type: ignore[arg-type]
                if getattr(self, item.name) is not None}

    @classmethod
    def from_dict(cls: Type[M], values: Mapping[str, Any]) -> M:
        """Fails with TypeError on a key that is no field."""
        return cls(**{name: _NESTED[name](value) if name in _NESTED and value is not None else value
                      for name, value in values.items()})


@dataclass
class TensorInit(Model):
    kind: str = "randn"
    seed: Optional[int] = None
    mean: Optional[float] = None
    std: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    fill_value: Optional[float] = None
    start: Optional[float] = None
    step: Optional[float] = None


@dataclass
class TensorData(Model):
    data_b64: str
    dtype: str = "float32"
    shape: Sequence[int] = ()
    compress: str = "none"

    @staticmethod
    def of(array: Any) -> TensorData:
        """The elements of a numpy array or a torch tensor, wherever it lives."""
        return TensorData(**literal(array))


@dataclass
class TensorSpec(Model):
    shape: Sequence[int] = ()
    dtype: str = "float32"
    init: Union[TensorInit, Mapping[str, Any], None] = None
    data: Union[TensorData, Mapping[str, Any], None] = None

    def __post_init__(self) -> None:
        self.shape = [int(extent) for extent in self.shape]
        self.dtype = dtype_text(self.dtype)

    @staticmethod
    def of(array: Any) -> TensorSpec:
        """A tensor that holds the elements of `array`."""
        return TensorSpec(list(array.shape), dtype_name(array), data=TensorData.of(array))


@dataclass
class ArgSpec(Model):
    name: str
    type: str
    value: Optional[Scalar] = None
    tensor_spec: Union[TensorSpec, Mapping[str, Any], None] = None
    role: str = "input"
    is_meta: bool = False

    def __post_init__(self) -> None:
        self.value = plain_scalar(self.value)


@dataclass
class LaunchDim(Model):
    """Of a Triton grid also expressions over the arguments: "cdiv(n, BLOCK)"."""

    x: Union[int, str] = 1
    y: Union[int, str] = 1
    z: Union[int, str] = 1


@dataclass
class LaunchConfig(Model):
    grid: Union[LaunchDim, Mapping[str, Any], Sequence[Union[int, str]], str, None] = None
    block: Union[LaunchDim, Mapping[str, Any], Sequence[int], None] = None
    shared_mem_bytes: Optional[int] = None
    cooperative: Optional[bool] = None
    cluster: Union[LaunchDim, Mapping[str, Any], None] = None
    num_warps: Optional[int] = None
    num_stages: Optional[int] = None


@dataclass
class IOContract(Model):
    args: List[ArgSpec]
    launch: Optional[LaunchConfig] = None


@dataclass
class KernelCode(Model):
    source_code: str
    kernel_type: Union[KernelType, str]
    io: Union[IOContract, Mapping[str, Any], None] = None
    metadata: Optional[Mapping[str, Any]] = None


Kernel = Union[KernelCode, Mapping[str, Any]]


@dataclass
class Workload(Model):
    """Another size at which the candidate must be right too. `args`: of the contracts by name, a
    list for a shape, anything else for a scalar. `constants`: of the reference's Python source."""

    name: Optional[str] = None
    args: Optional[Mapping[str, Any]] = None
    launch: Union[LaunchConfig, Mapping[str, Any], None] = None
    reference_launch: Union[LaunchConfig, Mapping[str, Any], None] = None
    constants: Optional[Mapping[str, Any]] = None


@dataclass
class Timing(Model):
    """`mode`: "cold", "warm" or "graph". `threshold`: what differs by less is the same."""

    mode: Optional[str] = None
    threshold: Optional[float] = None


@dataclass
class DeviceMetrics(Model):
    """Which counters of the GPU to read. `kernels`: which launches, by `name`, `share` and
    `first_of_each_grid`. `collector`: who reads them, "ncu", "cupti" or "auto"."""

    sets: Optional[Sequence[str]] = None
    sections: Optional[Sequence[str]] = None
    metrics: Optional[Sequence[str]] = None
    fresh: Optional[bool] = None
    runs: Optional[int] = None
    collector: Optional[str] = None
    kernels: Optional[Mapping[str, Any]] = None


@dataclass
class EvaluationRequest(Model):
    """Runs and times one kernel. What is None is chosen by the server."""

    kernel: Kernel
    num_trials: Union[int, str, None] = None
    timeout: Optional[int] = None
    rounds: Optional[int] = None
    warmup: Optional[int] = None
    seed: Union[int, str, None] = None
    priority: Optional[int] = None
    device: Optional[str] = None
    atol: Optional[float] = None
    rtol: Optional[float] = None
    require: Optional[Sequence[str]] = None
    schedule_seed: Union[int, str, None] = None
    sanitize: Optional[Sequence[str]] = None
    artifacts: Optional[Sequence[str]] = None
    timing: Union[Timing, Mapping[str, Any], None] = None
    device_metrics: Union[bool, DeviceMetrics, Mapping[str, Any], None] = None
    explain: Optional[bool] = None
    name: Optional[str] = None


@dataclass
class CompareRequest(Model):
    """Holds `custom_kernel` against `ref_kernel`. What is None is chosen by the server."""

    ref_kernel: Kernel
    custom_kernel: Kernel
    num_trials: Union[int, str, None] = None
    timeout: Optional[int] = None
    atol: Optional[float] = None
    rtol: Optional[float] = None
    rounds: Optional[int] = None
    warmup: Optional[int] = None
    seed: Union[int, str, None] = None
    priority: Optional[int] = None
    device: Optional[str] = None
    strict: Optional[bool] = None
    allow: Optional[Sequence[str]] = None
    require: Optional[Sequence[str]] = None
    workloads: Optional[Sequence[Union[Workload, Mapping[str, Any]]]] = None
    schedule_seed: Union[int, str, None] = None
    sanitize: Optional[Sequence[str]] = None
    artifacts: Optional[Sequence[str]] = None
    timing: Union[Timing, Mapping[str, Any], None] = None
    judge_speed: Optional[bool] = None
    device_metrics: Union[bool, DeviceMetrics, Mapping[str, Any], None] = None
    explain: Optional[bool] = None
    name: Optional[str] = None


Request = Union[CompareRequest, EvaluationRequest, Mapping[str, Any]]


def _if_object(kind: Type[M]) -> Callable[[Any], Any]:
    """For a key that has another form beside the object."""
    return lambda value: kind.from_dict(value) if isinstance(value, Mapping) else value


_NESTED: Dict[str, Any] = {
    "tensor_spec": TensorSpec.from_dict, "init": TensorInit.from_dict, "data": TensorData.from_dict,
    "grid": _if_object(LaunchDim), "block": _if_object(LaunchDim), "cluster": LaunchDim.from_dict,
    "launch": LaunchConfig.from_dict, "reference_launch": LaunchConfig.from_dict,
    "io": IOContract.from_dict, "kernel": KernelCode.from_dict, "ref_kernel": KernelCode.from_dict,
    "custom_kernel": KernelCode.from_dict, "timing": Timing.from_dict,
    "device_metrics": _if_object(DeviceMetrics),
    "workloads": lambda entries: [Workload.from_dict(entry) for entry in entries],
    # Of a contract a list, of a workload an object.
    "args": lambda entries: (entries if isinstance(entries, Mapping)
                             else [ArgSpec.from_dict(entry) for entry in entries]),
}
_LOADABLE: Dict[str, Type[Model]] = {
    "IOContract": IOContract, "KernelCode": KernelCode, "CompareRequest": CompareRequest,
    "EvaluationRequest": EvaluationRequest}


def to_json(value: Any, indent: Optional[int] = 2) -> str:
    return json.dumps(plain(value), indent=indent)


def save_to_file(value: Any, filename: Union[str, Path]) -> None:
    Path(filename).write_text(to_json(value) + "\n", encoding="utf-8")


def load_from_file(filename: Union[str, Path], kind: str = "dict") -> Any:
    """What `save_to_file` wrote, as `kind`: "IOContract", "KernelCode", "CompareRequest",
    "EvaluationRequest" or "dict"."""
    if kind != "dict" and kind not in _LOADABLE:
        raise ValueError(f"{kind!r} is none of {', '.join([*_LOADABLE, 'dict'])}")
    values = json.loads(Path(filename).read_text(encoding="utf-8"))
    return values if kind == "dict" else _LOADABLE[kind].from_dict(values)


def tensor_spec_of(what: Any) -> Union[TensorSpec, Mapping[str, Any]]:
    """A spec as given, or the one that holds an array's elements."""
    if isinstance(what, (TensorSpec, Mapping)):
        return what
    if is_array(what):
        return TensorSpec.of(what)
    raise TypeError(f"{type(what).__name__} is no tensor spec, numpy array or torch tensor")
