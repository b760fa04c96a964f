"""Client of Assay, the server that judges GPU kernels."""
from ._retry import NO_RETRIES, Retries
from .async_client import AsyncAssayClient
from .batch import BatchItem, Progress
from .client import AssayClient, KernelEvalClient
from .contract import (IOContractBuilder, IOContractManager, create_arange_spec, create_full_spec,
                       create_ones_spec, create_randn_spec, create_tensor_spec,
                       create_uniform_spec, create_zeros_spec)
from .errors import (ApiError, AssayError, Conflict, ConnectionFailed, FieldError, InvalidRequest,
                     JobCancelled, JobEndedWithoutResult, JobFailed, JobTimedOut, NotAllowed,
                     NotFound, QueueFull, ServerError, Unavailable, WaitTimedOut)
from .models import (ArgSpec, CompareRequest, DeviceMetrics, EvaluationRequest, IOContract, KernelCode,
                     KernelType, LaunchConfig, LaunchDim, TensorData, TensorInit, TensorSpec, Timing,
                     Workload, load_from_file, save_to_file, to_json)
from .results import CompareResult, EvaluationResult, Event, Job, KernelExecutionResult, RuntimeStats

__version__ = "0.1.0"

__all__ = [
    "ApiError", "ArgSpec", "AssayClient", "AssayError", "AsyncAssayClient", "BatchItem",
    "CompareRequest", "CompareResult", "Conflict", "ConnectionFailed", "DeviceMetrics", "EvaluationRequest",
    "EvaluationResult", "Event", "FieldError", "IOContract", "IOContractBuilder",
    "IOContractManager", "InvalidRequest", "Job", "JobCancelled", "JobEndedWithoutResult",
    "JobFailed", "JobTimedOut", "KernelCode", "KernelEvalClient", "KernelExecutionResult",
    "KernelType", "LaunchConfig", "LaunchDim", "NO_RETRIES", "NotAllowed", "NotFound", "Progress", "QueueFull",
    "Retries", "RuntimeStats", "ServerError", "TensorData", "TensorInit", "TensorSpec",
    "Timing", "Unavailable", "WaitTimedOut", "Workload", "create_arange_spec", "create_full_spec", "create_ones_spec",
    "create_randn_spec", "create_tensor_spec", "create_uniform_spec", "create_zeros_spec",
    "load_from_file", "save_to_file", "to_json",
]
