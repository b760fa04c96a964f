"""Runs a kernel's source as a module named `kernel`, in a file `kernel.py`."""

from __future__ import annotations

import linecache
import pathlib
import sys
import types

from assay_runner.failures import KERNEL_FILE, submitted_code

MODULE_NAME = "kernel"
DEEPEST_RECURSION = 100_000
_BYTE_ORDER_MARK = "\ufeff"


def bound_recursion() -> None:
    """A kernel may raise the limit, but not so far that a recursion without end takes all of its
    memory, and minutes for it, instead of becoming an exception."""
    set_limit = sys.setrecursionlimit

    def bounded(limit: int) -> None:
        set_limit(min(limit, DEEPEST_RECURSION))

    sys.setrecursionlimit = bounded


def load_source(text: str) -> types.ModuleType:
    bound_recursion()
    text = text.removeprefix(_BYTE_ORDER_MARK)  # as in a file that Python reads
    module = types.ModuleType(MODULE_NAME)
    # A real file, because inspect, Triton and torch.jit look for one; relative, as the author wrote
    # it, because it is what tracebacks show.
    path = pathlib.Path.cwd() / KERNEL_FILE
    path.write_text(text, encoding="utf-8")
    module.__file__ = str(path)
    linecache.cache[KERNEL_FILE] = (len(text), None, text.splitlines(keepends=True), KERNEL_FILE)
    sys.modules[MODULE_NAME] = module
    with submitted_code(loading=True):
        exec(compile(text, KERNEL_FILE, "exec"), module.__dict__)
    return module
