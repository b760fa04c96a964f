"""From an exception in submitted code to a verdict with the author's own traceback."""

from __future__ import annotations

import pathlib
import re
import site
import sys
import sysconfig
import traceback
from contextlib import contextmanager
from typing import Iterator

from assay_runner import verdicts

KERNEL_FILE = "kernel.py"
_OURS = str(pathlib.Path(__file__).parent)
_LOG_LIMIT = 64 << 10  # bytes of a traceback; an endless chain of causes is cut
_FRAMES_SHOWN = 200  # the innermost; looking up a hundred thousand of them takes seconds
_NO_MEMORY = ("can't allocate memory", "std::bad_alloc", "CUDA out of memory", "Cannot allocate memory")
_RAISES_GAPS = ("triton/runtime/interpreter.py", "assay_runner/triton_libdevice.py")
_GAPS = ("inline_asm_elementwise", "map_elementwise", "dot_scaled")  # whose errors do not say so
_ASSERTIONS = ("create_assert", "create_assume")
_OF_INTERPRETER = ("InterpreterBuilder", "InterpreterOptions")
_NO_GPU = ("cudaErrorInsufficientDriver", "cudaErrorNoDevice")


class BuildNeeded(BaseException):
    """A kernel uses an extension that is not built. Not an Exception: kernels catch those."""


@contextmanager
def submitted_code(*, loading: bool = False) -> Iterator[None]:
    """Around every call into a kernel's source: what it raises becomes a Refusal."""
    try:
        yield
    except (verdicts.Refusal, BuildNeeded):
        raise
    except BaseException as error:
        raise refusal_of(error, loading=loading) from None


def refusal_of(error: BaseException, *, loading: bool) -> verdicts.Refusal:
    summary = _summary(error)
    if _ran_out_of_memory(error):
        return verdicts.out_of_memory(summary)
    gap = _gap_of_interpreter(error) or _gap_of_cupy(error)
    if gap is not None:
        return verdicts.unsupported(gap)
    text = describe(error) + _what_to_do(error)
    if loading or _is_compile_error(error):
        return verdicts.did_not_compile(text)
    return verdicts.crashed(summary, text)


def _what_to_do(error: BaseException) -> str:
    """About an import of something that the environment, or an extension, does not have."""
    if isinstance(error, ImportError) and "(PyInit_" in str(error):
        return ("The extension gives Python no function: name them with functions=[...] of load_inline, "
                "or write a PYBIND11_MODULE\n")
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    package = error.name.partition(".")[0]
    wanted = {"cupy": "cupy-cuda13x", "cuda": "cuda-python"}.get(package, package)
    return (f"This Python has no '{package}'. Where kernels run, this adds it: "
            f"assay setup python --with {wanted}\n")


def _summary(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"the kernel asked its process to exit ({error.code!r})"
    lines = "".join(traceback.format_exception_only(type(error), error)).strip()
    return _without_server_paths(lines)[:_LOG_LIMIT]


def _ran_out_of_memory(error: BaseException) -> bool:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
            return True
        if isinstance(error, RuntimeError) and any(text in str(error) for text in _NO_MEMORY):
            return True
        error = error.__cause__  # type: ignore[assignment]
    return False


def _is_compile_error(error: BaseException) -> bool:
    """Triton compiles at the first launch; its interpreter meets the same mistakes when it runs."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if "InterpreterError" in names:
        return not _is_assertion_of_kernel(_within_interpreter(error))
    return bool(names & {"CompilationError", "PTXASError", "OutOfResources"})


def _within_interpreter(error: BaseException | None) -> BaseException | None:
    """What went wrong in a kernel: every function that it calls wraps it once more."""
    while error is not None and type(error).__name__ == "InterpreterError":
        error = error.__cause__
    return error


def _is_assertion_of_kernel(error: BaseException | None) -> bool:
    """tl.device_assert or assert; Triton has others for what does not compile."""
    if not isinstance(error, AssertionError):
        return False
    last = traceback.extract_tb(error.__traceback__, limit=-1)
    return any(frame.filename == KERNEL_FILE or frame.name in _ASSERTIONS for frame in last)


def _gap_of_interpreter(error: BaseException) -> str | None:
    """What a GPU could do and Triton's interpreter cannot, which is no mistake of the author."""
    line = None
    inner: BaseException | None = error
    while inner is not None and type(inner).__name__ == "InterpreterError":
        line = _kernel_line(inner) or line
        inner = inner.__cause__
    if inner is None or inner is error:
        return None
    line = _kernel_line(inner) or line
    if not _raised_by_interpreter(inner):
        return None
    word = _word_of_language(inner)
    what = f"tl.{word}" if word else str(inner)
    where = f"{KERNEL_FILE}, line {line}: " if line else ""
    return f"{where}the cpu device runs Triton in its interpreter, which cannot do {what}"


def _gap_of_cupy(error: BaseException) -> str | None:
    """cupy calls CUDA itself: where there is no GPU, nothing of ours stands in for it."""
    if not type(error).__module__.startswith("cupy") or not any(name in str(error) for name in _NO_GPU):
        return None
    line = _kernel_line(error)
    where = f"{KERNEL_FILE}, line {line}: " if line else ""
    return f"{where}cupy needs a GPU, and the cpu device has none"


def _raised_by_interpreter(error: BaseException) -> bool:
    if isinstance(error, AttributeError):
        return type(error.obj).__name__ in _OF_INTERPRETER
    last = traceback.extract_tb(error.__traceback__, limit=-1)
    return isinstance(error, NotImplementedError) and last[0].filename.endswith(_RAISES_GAPS)


def _word_of_language(error: BaseException) -> str | None:
    for frame, _ in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if code.co_filename.endswith("triton/language/core.py") and code.co_name in _GAPS:
            return code.co_name
    return None


def _kernel_line(error: BaseException) -> int | None:
    lines = [
        number
        for frame, number in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == KERNEL_FILE
    ]
    return lines[-1] if lines else None


def describe(error: BaseException) -> str:
    """The traceback as the author would see it: without our frames and the server's paths."""
    shown = traceback.TracebackException.from_exception(error, limit=-_FRAMES_SHOWN)
    _trim(shown, set())
    return _without_server_paths("".join(shown.format()))[:_LOG_LIMIT]


def _trim(shown: traceback.TracebackException, seen: set[int]) -> None:
    if id(shown) in seen:
        return
    seen.add(id(shown))
    frames = [frame for frame in shown.stack if not frame.filename.startswith(_OURS)]
    own = [place for place, frame in enumerate(frames) if frame.filename == KERNEL_FILE]
    frames = frames[own[0] if own else 0 :]  # how the kernel was called is no news to its author
    shown.stack = traceback.StackSummary.from_list(frames)
    for other in (shown.__cause__, shown.__context__, *(getattr(shown, "exceptions", None) or ())):
        if other is not None:
            _trim(other, seen)


def _server_paths() -> list[str]:
    paths = {*site.getsitepackages(), *sysconfig.get_paths().values(), sys.prefix, sys.base_prefix}
    paths |= {path for path in sys.path if path}
    return sorted((path + "/" for path in paths if len(path) > 1), key=len, reverse=True)


_SERVER_PATHS = _server_paths()


def _without_server_paths(text: str) -> str:
    for path in _SERVER_PATHS:
        text = text.replace(path, "")
    return re.sub(rf"/tmp/(\w+/)?{re.escape(KERNEL_FILE)}", KERNEL_FILE, text)
