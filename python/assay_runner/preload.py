"""What every kernel would import or set up first, done once in the zygote.

Nothing here may start a thread or touch CUDA: a fork would carry neither over.
"""

from __future__ import annotations

import gc
import importlib
import os
import threading
from contextlib import contextmanager
from typing import Iterator

from assay_runner import huge_pages

MODULES = (
    "torch",
    "numpy",
    "triton",
    "triton.language",
    "torch.nn.functional",
    "torch.utils.cpp_extension",
    # Imported lazily by what kernels commonly do.
    "concurrent.futures",
    "dataclasses",
    "linecache",
    "torch._dynamo",
    "torch._inductor.config",
    "torch.nn.utils.parametrizations",
    "traceback",
    "triton.runtime.interpreter",
    "unittest.mock",
    # Ours: the children have another /tmp, where they may lie.
    "assay_runner.cuda_device",
    "assay_runner.extensions",
    "assay_runner.session",
    "assay_runner.triton_kernels",
    "assay_runner.triton_on_cpu",
)
_WITH_TRITON = "triton"  # in the name of every module that a Python without it cannot import


def preload() -> dict[str, str]:
    """Imports everything; returns the versions of what kernels are written for."""
    missing = {}
    with _nobody_asks_the_driver():
        for name in MODULES:
            try:
                importlib.import_module(name)
            except ImportError as error:
                if _WITH_TRITON not in name:
                    raise
                missing[name] = str(error)
    _use_torch()
    if "triton" not in missing:
        _use_triton()
    gc.collect()
    gc.freeze()  # children neither walk nor copy what is shared
    huge_pages.collapse()
    if threading.active_count() != 1:
        raise RuntimeError("an import started a thread: children could not be forked safely")
    versions = {}
    for name in ("torch", "numpy", "triton"):
        if name not in missing:
            versions[name] = str(importlib.import_module(name).__version__)
    return versions


def _on_gpu() -> bool:
    return os.environ.get("ASSAY_DEVICE") == "cuda"


@contextmanager
def _nobody_asks_the_driver() -> Iterator[None]:
    """Some modules ask torch for GPUs while they are imported; once torch has asked the driver, it
    refuses to use CUDA in any fork. What they are told is what the children will find."""
    import torch

    found = _on_gpu()
    asked = {"is_available": torch.cuda.is_available, "device_count": torch.cuda.device_count}
    torch.cuda.is_available = lambda: found
    torch.cuda.device_count = lambda: int(found)
    try:
        yield
    finally:
        for name, function in asked.items():
            setattr(torch.cuda, name, function)


def _use_torch() -> None:
    """The first use of an operator finds and prepares its implementation."""
    import torch
    import torch.nn.functional as functional

    matrix = torch.ones(8, 8)
    image = torch.ones(1, 1, 8, 8)
    kernel = torch.ones(1, 1, 3, 3)
    with torch.no_grad():
        torch.nn.Linear(8, 8)(matrix)
        torch.softmax(matrix @ matrix, dim=-1).sum().item()
        functional.layer_norm(matrix, (8,))
        functional.conv2d(image, kernel)
        torch.randn(8)
    from assay_runner import precise
    from assay_runner.forms import FunctionForm

    precise.run(FunctionForm(torch.relu), [matrix])


def _use_triton() -> None:
    try:
        if _on_gpu():
            from assay_runner import triton_ahead

            triton_ahead.compile_one()
            triton_ahead.load_driver()
        else:
            from assay_runner import triton_on_cpu

            triton_on_cpu.keep_language_patched()
            triton_on_cpu.interpret_one()
    except Exception as error:  # another Triton than we know: kernels wait longer, or say what it is
        print(f"Triton is not made ready ahead: {type(error).__name__}: {error}", flush=True)
