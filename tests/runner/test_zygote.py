"""The parent of all runners, and what it prepares for them."""
import pathlib
import platform

import pytest

SOURCE = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.tensor([torch.get_num_threads(), len(__import__('os').sched_getaffinity(0))])
"""


def large_pages(pid):
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("AnonHugePages"))


def test_memory_lies_in_large_pages(zygote):
    version = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
    if version < (6, 1):
        pytest.skip(f"needs Linux 6.1 or later, not {platform.release()}")
    enabled = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if not enabled.exists() or "[never]" in enabled.read_text():
        pytest.skip("needs transparent huge pages")
    assert large_pages(zygote.process.pid) >= 32 << 10, "of some 350 MiB, in KiB"


def test_kernels_use_every_core(child, arena):
    child.loaded(SOURCE)
    arena.give(child, "init_inputs")
    arena.give(child, "inputs", arena.put([0]))
    threads, cores = arena.collect(child, "outputs", child.call({"op": "run"})["value"])[0]
    assert threads == min(cores, 32)


def test_no_thread_waits_spinning_before_anything_ran(child):
    task = pathlib.Path(f"/proc/{child.pid()}/task")
    assert len(list(task.iterdir())) == 1
