"""What we declare of CUPTI is what NVIDIA's headers and libraries say; no GPU is needed."""

import pathlib
import shutil
import subprocess

import pytest
from support import runner

SOURCE = runner.ROOT / "src"
LAYOUT = runner.ROOT / "tests/support/cupti_layout.cpp"
PROFILER_LAYOUT = runner.ROOT / "tests/support/profiler_layout.cpp"
PARTS = [
    SOURCE / part
    for part in (
        "device/activity_records.cpp",
        "device/cupti.cpp",
        "device/dynamic_library.cpp",
        "base/error.cpp",
    )
]
# Where wheels keep headers and libraries, below site-packages.
COPIES = {
    "of CUDA 13": ("nvidia/cu13/include", "nvidia/cu13/lib/libcupti.so.13"),
    "of CUDA 12": (
        "triton/backends/nvidia/include",
        "triton/backends/nvidia/lib/cupti/libcupti.so.12",
    ),
}


def site_packages():
    python, why = runner.find_python()
    if python is None:
        pytest.skip(f"needs a Python with torch and triton: {why}")
    told = subprocess.run(
        [python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return pathlib.Path(told.stdout.strip())


def compile_cpp(directory, *arguments):
    built = subprocess.run(
        ["g++", "-std=c++23", f"-I{SOURCE}", *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """Our reader, compiled without any header of CUDA."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    directory = tmp_path_factory.mktemp("reader")
    compile_cpp(directory, "-c", *PARTS)
    return list(directory.glob("*.o"))


@pytest.mark.parametrize("copy", COPIES)
def test_layouts_and_constants_are_those(copy, reader, tmp_path):
    headers, library = (site_packages() / part for part in COPIES[copy])
    if not (headers / "cupti.h").exists() or not library.exists():
        pytest.skip(f"needs {headers}/cupti.h and {library}")
    program = tmp_path / "cupti_layout"
    compile_cpp(tmp_path, "-isystem", headers, LAYOUT, *reader, "-o", program, "-ldl")
    ran = subprocess.run([program, library], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "records and functions are those of the headers" in ran.stdout


@pytest.mark.parametrize("copy", COPIES)
def test_arguments_of_the_profiler_are_those(copy, tmp_path):
    headers = site_packages() / COPIES[copy][0]
    if shutil.which("g++") is None or not (headers / "cupti_range_profiler.h").exists():
        pytest.skip(f"needs g++ and {headers}/cupti_range_profiler.h")
    program = tmp_path / "profiler_layout"
    compile_cpp(tmp_path, "-isystem", headers, PROFILER_LAYOUT, "-o", program)
    ran = subprocess.run([program], capture_output=True, text=True, check=True)
    assert "arguments of the profiler are those of the headers" in ran.stdout
