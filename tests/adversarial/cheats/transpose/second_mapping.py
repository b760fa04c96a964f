# verdict: wrong_answer
# rule: alias
# class: A10
# on: cpu
# A view of the input's memory, mapped a second time at another place.
import ctypes
import mmap

import torch

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mremap.restype = ctypes.c_void_p
_libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
_views = {}


class ModelNew(torch.nn.Module):
    def forward(self, x):
        at = x.data_ptr()
        if at not in _views:
            page = at & ~4095
            size = (at - page + x.numel() * 4 + 4095) & ~4095
            other = _libc.mremap(page, 0, size, 1)
            if other in (None, 2**64 - 1):
                raise OSError(ctypes.get_errno(), "mremap")
            memory = (ctypes.c_float * x.numel()).from_address(other + at - page)
            _views[at] = torch.frombuffer(memory, dtype=torch.float32).view(x.shape).t()
        return _views[at]
