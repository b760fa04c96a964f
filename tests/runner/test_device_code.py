"""Our own code for GPUs compiles, by the compiler that compiles it on the machine with the GPU."""
import ctypes
import os
import pathlib

import pytest

from support import runner

FOLDER = runner.ROOT / "device_code"
BUILT_IN = "libnvrtc-builtins.so.*"


def find_nvrtc():
    python, why = runner.find_python()
    if python is None:
        pytest.skip(f"needs a Python with torch, which brings NVRTC: {why}")
    libraries = sorted(pathlib.Path(python).parent.parent.rglob("nvidia/*/lib/libnvrtc.so.*"))
    if not libraries:
        pytest.skip("needs NVRTC, which torch for CUDA brings")
    for built_in in sorted(libraries[0].parent.glob(BUILT_IN)):  # NVRTC opens it by its name alone
        ctypes.CDLL(os.fspath(built_in), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(os.fspath(libraries[0]))


def compile_log(nvrtc, source, architecture):
    """Empty where it compiles."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None) == 0
    options = [f"--gpu-architecture={architecture}".encode(), b"-I" + os.fsencode(FOLDER)]
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return "" if status == 0 else log.value.decode() or f"status {status}"


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("*.cu")))
def test_device_code_compiles(file, architecture):
    assert compile_log(find_nvrtc(), (FOLDER / file).read_bytes(), architecture) == ""
