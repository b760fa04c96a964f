"""Elements of numpy arrays and torch tensors. Neither library is imported: what is not given
needs not be installed."""
from __future__ import annotations

import base64
import ctypes
import zlib
from typing import Any, Dict

DTYPES = frozenset({
    "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8",
    "uint64", "uint32", "uint16", "uint8", "bool"})
COMPRESSED_FROM = 1024  # bytes; a zlib stream of less hardly ever is shorter


def is_torch(value: Any) -> bool:
    return hasattr(value, "data_ptr") and hasattr(value, "detach")


def is_array(value: Any) -> bool:
    return is_torch(value) or hasattr(value, "__array_interface__")


def dtype_name(array: Any) -> str:
    """As the contract spells it. Fails with TypeError for what the contract does not know."""
    name = dtype_text(array.dtype)
    if name not in DTYPES:
        raise TypeError(f"a contract cannot hold {name}")
    return name


def dtype_text(dtype: Any) -> str:
    """Of a name, or of torch.float16, numpy.float16 or numpy.dtype("float16")."""
    if isinstance(dtype, str):
        return dtype
    name = dtype.__name__ if isinstance(dtype, type) else str(getattr(dtype, "name", dtype))
    return name[len("torch."):] if name.startswith("torch.") else name


def plain_scalar(value: Any) -> Any:
    """The number inside a numpy scalar or an array of one element; everything else as it is."""
    return value.item() if is_array(value) else value


def literal(array: Any) -> Dict[str, Any]:
    """The fields of TensorData."""
    dtype = dtype_name(array)
    elements = _torch_bytes(array) if is_torch(array) else _numpy_bytes(array)
    packed = zlib.compress(elements) if len(elements) >= COMPRESSED_FROM else elements
    shorter = len(packed) < len(elements)
    return {"data_b64": base64.b64encode(packed if shorter else elements).decode("ascii"),
            "dtype": dtype, "shape": [int(extent) for extent in array.shape],
            "compress": "zlib" if shorter else "none"}


def _numpy_bytes(array: Any) -> bytes:
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    data: bytes = array.tobytes(order="C")
    return data


def _torch_bytes(tensor: Any) -> bytes:
    # Read from memory rather than through numpy, which may be absent and knows no bfloat16.
    tensor = tensor.detach().cpu().contiguous()
    return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size())
