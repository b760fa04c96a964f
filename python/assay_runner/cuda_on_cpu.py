"""Lets code written for CUDA run on the processor: for it, tensors are on `cuda:0`.

Only the submitted source is told so. Libraries see the truth, or they would take paths for a
device that is not there.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

import torch
import torch.amp.autocast_mode
import torch.jit._builtins
import torch.utils._device
import torch.utils.cpp_extension

from assay_runner import cuda_runtime_on_cpu, custom_ops_on_cpu
from assay_runner.failures import KERNEL_FILE

_CUDA = torch.device("cuda", 0)
_CPU = torch.device("cpu")

# Functions of torch that make tensors, and take a device.
_FACTORIES = """
arange as_tensor asarray bartlett_window blackman_window empty empty_like empty_permuted
empty_strided eye full full_like hamming_window hann_window kaiser_window linspace logspace
normal ones ones_like rand rand_like randint randint_like randn randn_like randperm range
scalar_tensor sparse_coo_tensor tensor tril_indices triu_indices zeros zeros_like
""".split()
_METHODS = "new_empty new_full new_ones new_tensor new_zeros new_empty_strided".split()
_TENSOR_TYPES = "Float Double Half BFloat16 Long Int Short Char Byte Bool".split()


def host(device: Any) -> Any:
    """The device itself, or the processor where it is a GPU."""
    if isinstance(device, str):
        return "cpu" if device.partition(":")[0] == "cuda" else device
    if isinstance(device, torch.device):
        return _CPU if device.type == "cuda" else device
    if isinstance(device, int) and not isinstance(device, bool):
        return _CPU  # an index is that of a GPU
    return device


def _asked_by_kernel() -> bool:
    return sys._getframe(2).f_code.co_filename == KERNEL_FILE


def _on_host(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs:
            kwargs["device"] = host(kwargs["device"])
        kwargs.pop("pin_memory", None)  # all memory is as good
        return function(*args, **kwargs)

    return wrapper


def _property(real: Any, told: Any) -> property:
    def get(self: torch.Tensor) -> Any:
        return told if _asked_by_kernel() else real.__get__(self)

    return property(get)


def _to(real: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    @functools.wraps(real)
    def to(self: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        if args:
            args = (host(args[0]), *args[1:])
        if "device" in kwargs:
            kwargs["device"] = host(kwargs["device"])
        return real(self, *args, **kwargs)

    return to


def _type(real: Callable[..., Any]) -> Callable[..., Any]:
    """Tensors have names by device, such as torch.cuda.FloatTensor."""

    @functools.wraps(real)
    def type_of(self: torch.Tensor, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if dtype is None:
            name = real(self)
            return name.replace("torch.", "torch.cuda.", 1) if _asked_by_kernel() else name
        if isinstance(dtype, str):
            dtype = dtype.replace("torch.cuda.", "torch.", 1)
        return real(self, dtype, *args, **kwargs)

    return type_of


def _stay(self: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    return self


def _replace_factories() -> None:
    for name in _FACTORIES:
        real = getattr(torch, name)
        replacement = _on_host(real)
        operator = torch.jit._builtins._find_builtin(real)
        if operator is not None:  # torch.jit.script knows functions by identity
            torch.jit._builtins._register_builtin(replacement, operator)
        setattr(torch, name, replacement)
    for name in _TENSOR_TYPES:
        setattr(torch.cuda, f"{name}Tensor", getattr(torch, f"{name}Tensor"))


def _replace_methods() -> None:
    base: Any = torch._C.TensorBase
    tensor: Any = torch.Tensor
    tensor.device = _property(base.device, _CUDA)
    tensor.is_cuda = _property(base.is_cuda, True)
    tensor.is_cpu = _property(base.is_cpu, False)
    tensor.to = _to(base.to)
    tensor.type = _type(base.type)
    tensor.cuda = _stay
    tensor.pin_memory = _stay
    tensor.record_stream = lambda self, stream: None
    tensor.get_device = lambda self: 0
    for name in _METHODS:
        setattr(tensor, name, _on_host(getattr(base, name)))


def _replace_contexts() -> None:
    context: Any = torch.utils._device.DeviceContext
    initialise = context.__init__
    context.__init__ = lambda self, device: initialise(self, host(device))

    autocast: Any = torch.amp.autocast_mode.autocast
    enter = autocast.__init__

    def autocast_on_host(self: Any, device_type: str, dtype: Any = None, **kwargs: Any) -> None:
        if device_type == "cuda" and dtype is None:
            dtype = torch.get_autocast_dtype("cuda")
        enter(self, host(device_type), dtype, **kwargs)

    autocast.__init__ = autocast_on_host


def _replace_generator() -> None:
    real: Any = torch.Generator

    class Generator(real):  # type: ignore[misc]
        def __new__(cls, device: Any = "cpu") -> Any:
            made = real.__new__(cls, device=host(device))
            made._told = _CPU if torch.device(device).type == "cpu" else _CUDA
            return made

        @property
        def device(self) -> torch.device:
            return self._told if _asked_by_kernel() else _CPU

    torch.Generator = Generator


def install() -> None:
    _replace_factories()
    _replace_methods()
    _replace_contexts()
    _replace_generator()
    custom_ops_on_cpu.install(_asked_by_kernel)
    torch.utils.cpp_extension.CUDA_HOME = "/usr/local/cuda"
    cuda_runtime_on_cpu.install(_asked_by_kernel)
    if "triton" in sys.modules:
        from assay_runner import triton_on_cpu

        triton_on_cpu.install()
