#!/usr/bin/env python3
"""Records which system calls jailed programs make while a command runs, such as the tests:

    tools/record_syscalls.py build/assay compare examples/cuda/matmul.json

Adds what is new to src/process/recorded, one file for each kind of program. Needs strace and root. A call counts once its
process has loaded a filter, or was started by one that has, unless the filter refused it.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "process" / "recorded"
CALL = re.compile(r"^(\w+)\(")
CHILD = re.compile(r"= \d+(?: /\* (\d+) in strace's PID NS \*/)?$")
REFUSED = re.compile(r"= -1 (?:ENOSYS|EPERM)")  # by a filter, and the program went on without
STARTS_OTHERS = ("clone", "clone3", "fork", "vfork")
HEADER = "# System calls of {}, recorded by tools/record_syscalls.py.\n"


def kind_of(line, before):
    """Of a program that a filtered process has begun to run."""
    path = re.match(r'execve\("([^"]+)"', line)[1]
    if before == "zygote" or before == "python":
        return before  # what Python starts is still Python's
    if "python" in path.rsplit("/", 1)[-1]:
        return "zygote"
    if path == "/assay/runner" or line.startswith('execve("') and '"runner"' in line:
        return "runner"
    return "compiler"


def read(path):
    """(name, line) of each call of one process."""
    with open(path, errors="replace") as file:
        for line in file:
            if found := CALL.match(line):
                yield found[1], line.rstrip()


class Recording:
    def __init__(self, folder):
        self.files = {int(path.suffix[1:]): path for path in pathlib.Path(folder).glob("calls.*")}
        self.calls = collections.defaultdict(set)

    def follow(self, pid, kind):
        """Adds the calls of a process and of its children. `kind` is None where it has no filter yet."""
        path = self.files.pop(pid, None)
        if path is None:
            return
        for name, line in read(path):
            if kind is not None and not REFUSED.search(line):
                self.calls[kind].add(name)
            if name == "seccomp" and "SECCOMP_SET_MODE_FILTER" in line and line.endswith("= 0"):
                kind = "python" if kind == "zygote" else kind or "filtered"
            elif name == "execve" and line.endswith("= 0") and kind is not None:
                kind = kind_of(line, kind)
            elif name in STARTS_OTHERS and (found := CHILD.search(line)):
                child = int(found[1] or re.search(r"= (\d+)", line)[1])
                self.follow(child, kind)


def record(command):
    with tempfile.TemporaryDirectory(prefix="syscalls-") as folder:
        trace = ["strace", "-ff", "-qq", "--signal=none", "--pidns-translation", "-s", "200", "-o", f"{folder}/calls"]
        code = subprocess.run([*trace, *command]).returncode
        recording = Recording(folder)
        for pid in sorted(recording.files):
            recording.follow(pid, None)
        return code, recording.calls


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    code, calls = record(sys.argv[1:])
    FOLDER.mkdir(exist_ok=True)
    for kind in ("compiler", "runner", "python", "zygote"):
        path = FOLDER / f"{kind}.txt"
        known = set(path.read_text().splitlines()[1:]) if path.exists() else set()
        new = calls[kind] - known
        print(f"{kind}: {len(calls[kind])} calls, new: {', '.join(sorted(new)) or 'none'}")
        path.write_text(HEADER.format(kind) + "\n".join(sorted(known | calls[kind])) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
