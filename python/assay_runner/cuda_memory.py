"""Arenas of CUDA memory: allocated by the worker, mapped here through the driver."""

from __future__ import annotations

import ctypes
import math
import os
from typing import Any

import torch

_POSIX_DESCRIPTOR = 1  # CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
_LOCATION_DEVICE = 1  # CU_MEM_LOCATION_TYPE_DEVICE
_ALLOCATION_PINNED = 1  # CU_MEM_ALLOCATION_TYPE_PINNED
_READ_WRITE = 3  # CU_MEM_ACCESS_FLAGS_PROT_READWRITE


class _Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class _Access(ctypes.Structure):
    _fields_ = [("location", _Location), ("flags", ctypes.c_int)]


class _AllocationProperties(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("requested_handle_types", ctypes.c_int),
        ("location", _Location),
        ("win32_handle_metadata", ctypes.c_void_p),
        ("flags", ctypes.c_ubyte * 8),
    ]


class Driver:
    """The few functions of libcuda that map memory of another process."""

    def __init__(self, device: int) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")
        self._location = _Location(_LOCATION_DEVICE, device)

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, name)(*arguments)
        if code == 0:
            return
        text = ctypes.c_char_p()
        self._library.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{name}: {(text.value or b'unknown error').decode()} ({code})")

    def granularity(self) -> int:
        properties = _AllocationProperties(
            type=_ALLOCATION_PINNED,
            requested_handle_types=_POSIX_DESCRIPTOR,
            location=self._location,
        )
        granularity = ctypes.c_size_t()
        self._call(
            "cuMemGetAllocationGranularity", ctypes.byref(granularity), ctypes.byref(properties), 0
        )
        return granularity.value

    def map(self, descriptor: int, size: int) -> int:
        """The address at which the memory behind `descriptor` now lies."""
        handle = ctypes.c_ulonglong()
        self._call(
            "cuMemImportFromShareableHandle",
            ctypes.byref(handle),
            ctypes.c_void_p(descriptor),
            _POSIX_DESCRIPTOR,
        )
        address = ctypes.c_ulonglong()
        bytes_ = ctypes.c_size_t(size)
        nothing = ctypes.c_ulonglong(0)
        self._call(
            "cuMemAddressReserve", ctypes.byref(address), bytes_, ctypes.c_size_t(0), nothing, nothing
        )
        self._call("cuMemMap", address, bytes_, ctypes.c_size_t(0), handle, nothing)
        access = _Access(self._location, _READ_WRITE)
        self._call("cuMemSetAccess", address, bytes_, ctypes.byref(access), ctypes.c_size_t(1))
        self._call("cuMemRelease", handle)  # the mapping keeps the memory
        return address.value

    def unmap(self, address: int, size: int) -> None:
        where, bytes_ = ctypes.c_ulonglong(address), ctypes.c_size_t(size)
        self._call("cuMemUnmap", where, bytes_)
        self._call("cuMemAddressFree", where, bytes_)


class _Bytes:
    """Device memory, as torch takes it over without a copy."""

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, False),
            "strides": None,
            "version": 3,
        }


class CudaArena:
    """Memory that the worker owns, mapped here."""

    def __init__(self, driver: Driver, descriptor: int, size: int) -> None:
        self._driver = driver
        self._address = 0
        self._size = 0
        if size > 0:
            granularity = driver.granularity()
            self._size = -(-size // granularity) * granularity
            self._address = driver.map(descriptor, self._size)
        os.close(descriptor)

    def close(self) -> None:
        """No tensor looks into it any more."""
        if self._address != 0:
            self._driver.unmap(self._address, self._size)
            self._address = 0

    @property
    def address(self) -> int:
        return self._address

    def tensor(self, dtype: torch.dtype, shape: list[int], offset: int) -> torch.Tensor:
        count = math.prod(shape)
        if count == 0:
            return torch.empty(shape, dtype=dtype, device="cuda")
        return self._bytes(offset, count * dtype.itemsize).view(dtype).view(shape)

    def move(self, start: int, to: int, size: int) -> None:
        self._bytes(to, size).copy_(self._bytes(start, size))

    def _bytes(self, offset: int, size: int) -> torch.Tensor:
        return torch.as_tensor(_Bytes(self._address + offset, size), device="cuda")
