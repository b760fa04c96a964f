"""Every system call that nobody was seen to need is refused in the jail of a Python kernel."""
import pathlib
import re

import pytest

from support import python_kernels
from support.server import ROOT

TABLE = pathlib.Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
LISTS = ROOT / "src" / "process" / "syscall_lists.hpp"
LAST = 462
# Decided by their arguments, some of which are fine.
BY_ARGUMENT = {"clone", "ioctl", "personality", "socketpair"}
# uretprobe and uprobe: since Linux 6.14 no filter sees them. They end whoever calls them without being probed.
NEVER_FILTERED = {335, 336}


def numbers():
    if not TABLE.exists():
        pytest.skip("needs the kernel's headers for this machine")
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", TABLE.read_text())}


def allowed_names():
    """Those of the lists that are Python's."""
    text = LISTS.read_text()
    lists = re.findall(r"std::array (k\w+)\{(.*?)\};", text, re.DOTALL)
    assert {name for name, _ in lists} == {"kOfEveryProgram", "kOfRunners", "kOfPython", "kOfZygotes"}
    return {call for name, body in lists if name != "kOfZygotes" for call in re.findall(r"SCMP_SYS\((\w+)\)", body)}


def caller(calls):
    return f"""
import ctypes
import errno
import torch

libc = ctypes.CDLL(None, use_errno=True)

def refused(number):
    "Every argument is wrong, so that nothing happens where a call is not refused."
    ctypes.set_errno(0)
    wrong = [ctypes.c_long(-1)] * 6
    return libc.syscall(ctypes.c_long(number), *wrong) == -1 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS)

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x + torch.tensor([0.0 if refused(call) else 1.0 for call in {calls}])
"""


REFERENCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return 1 * x

def get_inputs():
    return [torch.randn(COUNT)]

def get_init_inputs():
    return []
"""


def judge(server, calls):
    reference = REFERENCE.replace("COUNT", str(len(calls)))
    return server.run(python_kernels.compare(python_kernels.code(reference, "torch"),
                                             python_kernels.code(caller(calls), "torch")))


def test_calls_that_nobody_needs_are_refused(server):
    known = numbers()
    fine = {known[name] for name in (allowed_names() | BY_ARGUMENT) if name in known}
    rest = [number for number in range(LAST + 1) if number not in fine | NEVER_FILTERED]
    assert len(rest) > 150
    job = judge(server, rest)
    assert job["verdict"] == "accepted", job["result"].get("reason")


def test_call_that_is_not_refused_would_be_seen(server):
    job = judge(server, [numbers()["close"]])
    assert job["verdict"] == "wrong_answer", job
