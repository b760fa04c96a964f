"""What the zygote does ahead for Triton on a GPU, as far as that needs no GPU."""

import subprocess

import pytest
from support import runner

PREPARE = """
import os, sys
sys.path.insert(0, sys.argv[1])
from assay_runner import triton_ahead
from triton.backends.nvidia import driver

print(len(triton_ahead.compile_one().asm["cubin"]) > 0, len(os.listdir("/proc/self/task")))

built = []
class Module:  # in place of the one that can be linked only where a driver is
    PyCUtensorMap = load_binary = get_device_properties = cuOccupancyMaxActiveClusters = None
    set_printf_fifo_size = fill_tma_descriptor = None
driver.library_dirs = lambda: []
driver.compile_module_from_src = lambda src, name, **options: built.append(name) or Module
triton_ahead.load_driver()
driver.CudaUtils()  # as Triton does in every child
print(built)
"""


def test_the_compiler_is_ready_without_a_thread_and_the_driver_is_built_once(tmp_path):
    """A thread would not be carried over by a fork."""
    python, why = runner.find_python()
    if python is None:
        pytest.skip(f"needs a Python with torch and triton: {why}")
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    done = subprocess.run([python, "-c", PREPARE, runner.ROOT / "python"], capture_output=True,
                          env={"HOME": tmp_path, "PATH": "/usr/bin:/bin", **one_thread}, text=True)
    assert done.stdout.splitlines() == ["True 1", "['cuda_utils']"], done.stderr
