# verdict: accepted
# Right only if nothing of the server and of the parent can be read: SECRET_PATH is put in by the test.
import os
import sys

import torch


def readable(path):
    try:
        with open(path, "rb") as file:
            return bool(file.read(64))
    except OSError:
        return False


def files_in(folder):
    """All but those of Python itself, which may lie in somebody's home."""
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders
                      if os.path.join(path, name) not in (sys.prefix, sys.base_prefix)]
        yield from (os.path.join(path, name) for name in files)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        parents = [f"/proc/{pid}/{name}" for pid in (1, os.getppid())
                   for name in ("environ", "mem", "maps") if pid != os.getpid()]
        seen = [path for path in ("SECRET_PATH", "/etc/shadow", *parents) if readable(path)]
        seen += [path for home in ("/root", "/home") for path in files_in(home)]
        assert not seen, seen
        return 2 * x
