"""A stand-in for compute-sanitizer: starts the program it is given and writes a log in the tool's own form.

It finds nothing itself. MODE says what its log tells and how it ends.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

MODE = "clean"  # written over by stand_in.write()

OUT_OF_BOUNDS = """\
========= Invalid __global__ write of size 4 bytes
=========     at scale(const float *, float *, float, int)+0x70 in kernel.cu:4
=========     by thread (31,0,0) in block (2,0,0)
=========     Address 0x7f5c92600fa0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f5c92600000 of size 4,000 bytes
=========
"""
HAZARD = """\
========= Error: Potential RAW hazard detected at __shared__ 0x8c in block (1,0,0) :
=========     Write Thread (35,0,0) at scale(const float *, float *, float, int)+0x90 in kernel.cu:3
=========     Read Thread (32,0,0) at scale(const float *, float *, float, int)+0x120 in kernel.cu:5
=========     Current Value : 35
=========
"""
BARRIER = """\
========= Barrier error detected. Divergent thread(s) in block.
=========     at scale(const float *, float *, float, int)+0xf0 in kernel.cu:6
=========     by thread (37,0,0) in block (0,0,0)
=========
"""
UNWRITTEN = """\
========= Uninitialized __global__ memory read of size 4 bytes
=========     at scale(const float *, float *, float, int)+0x40 in kernel.cu:2
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f3c7ec000fc
=========
"""
REPORTS = {"memcheck": OUT_OF_BOUNDS, "racecheck": HAZARD, "initcheck": UNWRITTEN, "synccheck": BARRIER}
# A driver that is asked for what it does not have; not the kernel's doing.
HOST_ERROR = "========= Program hit CUDA_ERROR_NOT_FOUND (error 500) on CUDA API call to cuGetProcAddress.\n=========\n"


def value_of(words, option):
    return words[words.index(option) + 1]


def summary(tool, count):
    if tool == "racecheck":
        return f"========= RACECHECK SUMMARY: {count} hazards displayed ({count} errors, 0 warnings)\n"
    return f"========= ERROR SUMMARY: {count} errors\n"


def main(words):
    at = 0
    while at < len(words) and words[at].startswith("--"):
        at += 2  # every option has one value; the program's own words follow
    tool = value_of(words, "--tool")
    log = pathlib.Path(value_of(words, "--log-file"))
    log.write_text("========= COMPUTE-SANITIZER\n")
    if MODE == "hang":
        time.sleep(600)
    child = subprocess.Popen(words[at:], close_fds=False)
    if MODE == "killed":
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    code = child.wait()
    found = REPORTS[tool] if MODE in ("finds", tool) else ""
    with log.open("a") as text:
        text.write(HOST_ERROR + found * 3 + summary(tool, 3 if found else 0))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
