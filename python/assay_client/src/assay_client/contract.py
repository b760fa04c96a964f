"""Building contracts: what a kernel is called with, and how it is launched."""
from __future__ import annotations

import dataclasses
from typing import Any, List, Mapping, Optional, Sequence, Union

from .models import (ArgSpec, IOContract, LaunchConfig, LaunchDim, Scalar, TensorInit, TensorSpec,
                     tensor_spec_of)
from .tensors import dtype_name, is_array, plain_scalar

Shape = Sequence[int]


def create_tensor_spec(shape: Shape, dtype: str = "float32",
                       init: Union[TensorInit, Mapping[str, Any], None] = None) -> TensorSpec:
    return TensorSpec(list(shape), dtype, init)


def create_randn_spec(shape: Shape, dtype: str = "float32", seed: Optional[int] = None,
                      mean: float = 0, std: float = 1) -> TensorSpec:
    return create_tensor_spec(shape, dtype, TensorInit("randn", seed=seed, mean=mean, std=std))


def create_uniform_spec(shape: Shape, dtype: str = "float32", seed: Optional[int] = None,
                        low: float = 0, high: float = 1) -> TensorSpec:
    return create_tensor_spec(shape, dtype, TensorInit("uniform", seed=seed, low=low, high=high))


def create_zeros_spec(shape: Shape, dtype: str = "float32") -> TensorSpec:
    return create_tensor_spec(shape, dtype, TensorInit("zeros"))


def create_ones_spec(shape: Shape, dtype: str = "float32") -> TensorSpec:
    return create_tensor_spec(shape, dtype, TensorInit("ones"))


def create_full_spec(shape: Shape, fill_value: float, dtype: str = "float32") -> TensorSpec:
    return create_tensor_spec(shape, dtype, TensorInit("full", fill_value=fill_value))


def create_arange_spec(shape: Shape, dtype: str = "float32", start: float = 0,
                       step: float = 1) -> TensorSpec:
    return create_tensor_spec(shape, dtype, TensorInit("arange", start=start, step=step))


class IOContractBuilder:
    """Adds arguments in the order of the kernel's parameters; every method returns the builder.

    Where a tensor's spec is expected, a numpy array or a torch tensor may be given: its elements
    are then sent literally.
    """

    def __init__(self) -> None:
        self._args: List[ArgSpec] = []
        self._launch: Optional[LaunchConfig] = None

    def add_input_tensor(self, name: str, spec: Any) -> IOContractBuilder:
        return self._add(ArgSpec(name, "tensor", tensor_spec=tensor_spec_of(spec)))

    def add_inout_tensor(self, name: str, spec: Any) -> IOContractBuilder:
        return self._add(ArgSpec(name, "tensor", tensor_spec=tensor_spec_of(spec), role="inout"))

    def add_output_tensor(self, name: str, shape: Shape,
                          dtype: str = "float32") -> IOContractBuilder:
        return self._add(ArgSpec(name, "tensor", tensor_spec=TensorSpec(list(shape), dtype),
                                 role="output"))

    def add_scalar(self, name: str, type: str, value: Scalar) -> IOContractBuilder:
        """`type`: "int", "float", "bool" or "str"."""
        return self._add(ArgSpec(name, type, value=value))

    def add_meta_param(self, name: str, value: Scalar) -> IOContractBuilder:
        """A compile-time constant of Triton."""
        return self._add(ArgSpec(name, scalar_type(value), value=value, is_meta=True))

    def set_launch_config(self, launch: Union[LaunchConfig, Mapping[str, Any]]) -> IOContractBuilder:
        """Replaces all that was set of the launch before."""
        self._launch = (LaunchConfig.from_dict(launch) if isinstance(launch, Mapping)
                        else launch)
        return self

    def set_grid(self, x: Union[int, str], y: Union[int, str] = 1,
                 z: Union[int, str] = 1) -> IOContractBuilder:
        """Of a Triton kernel also expressions over its arguments: "cdiv(n, BLOCK)"."""
        self._config().grid = LaunchDim(x, y, z)
        return self

    def set_block(self, x: int, y: int = 1, z: int = 1) -> IOContractBuilder:
        self._config().block = LaunchDim(x, y, z)
        return self

    def set_shared_mem_bytes(self, count: int) -> IOContractBuilder:
        self._config().shared_mem_bytes = count
        return self

    def set_num_warps(self, count: int) -> IOContractBuilder:
        self._config().num_warps = count
        return self

    def set_num_stages(self, count: int) -> IOContractBuilder:
        self._config().num_stages = count
        return self

    def build(self) -> IOContract:
        launch = None if self._launch is None else dataclasses.replace(self._launch)
        return IOContract(list(self._args), launch)

    def _add(self, arg: ArgSpec) -> IOContractBuilder:
        if any(known.name == arg.name for known in self._args):
            raise ValueError(f"there is an argument {arg.name!r} already")
        self._args.append(arg)
        return self

    def _config(self) -> LaunchConfig:
        if self._launch is None:
            self._launch = LaunchConfig()
        return self._launch


class IOContractManager:
    """Contracts from the very arguments that a call has in Python."""

    @staticmethod
    def create_io_contract(inputs: Sequence[Any], output_indices: Sequence[int] = (),
                           inout_indices: Sequence[int] = (),
                           launch_config: Union[LaunchConfig, Mapping[str, Any], None] = None,
                           arg_names: Optional[Sequence[str]] = None) -> IOContract:
        """Arrays become literal tensors, except outputs, of which only the shape is kept."""
        if arg_names is not None and len(arg_names) != len(inputs):
            raise ValueError(f"{len(arg_names)} names for {len(inputs)} arguments")
        builder = IOContractBuilder()
        for index, value in enumerate(inputs):
            name = arg_names[index] if arg_names is not None else f"arg{index}"
            if not is_array(value):
                builder.add_scalar(name, scalar_type(value), value)
            elif index in output_indices:
                builder.add_output_tensor(name, value.shape, dtype_name(value))
            elif index in inout_indices:
                builder.add_inout_tensor(name, value)
            else:
                builder.add_input_tensor(name, value)
        return builder.set_launch_config(launch_config).build() if launch_config else builder.build()

    @staticmethod
    def extract_outputs(contract: IOContract, args: Sequence[Any]) -> List[Any]:
        """Those of `args` that the contract marks as outputs; all tensors where it marks none."""
        tensors = [index for index, arg in enumerate(contract.args) if arg.type == "tensor"]
        marked = [index for index in tensors if contract.args[index].role in ("output", "inout")]
        return [args[index] for index in marked or tensors]


def scalar_type(value: Any) -> str:
    """As the contract spells it. Fails with TypeError for what is no scalar."""
    for kind in (bool, int, float, str):  # a bool is an int too, so it comes first
        if isinstance(plain_scalar(value), kind):
            return kind.__name__
    raise TypeError(f"{type(value).__name__} is no bool, int, float or str")
