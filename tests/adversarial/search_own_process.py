# Raises what it finds of the reference and the seed, wherever a process can look. The secrets
# themselves are not in this file, or it would find itself: only how they begin, and a mask.
import gc
import os
import re

import numpy
import torch

PATTERNS = [re.compile(rb"kept-from-candidates-[0-9a-f]{32}"), re.compile(rb"7777777\d{11}")]
MASK = numpy.uint64(0x5555555555555555)
MASKED_SEED = numpy.uint64(MASKED_SEED_VALUE)  # put in by the test
CHUNK = 1 << 24
OVERLAP = 64
found = []


def look(data, place):
    for pattern in PATTERNS:
        for match in pattern.finditer(data):
            found.append(f"{match[0].decode()} in {place}")


def look_for_words(data, place):
    words = numpy.frombuffer(data[: len(data) // 8 * 8], dtype=numpy.uint64)
    if (words ^ MASK == MASKED_SEED).any():
        found.append(f"the seed in {place}")


def search_memory():
    """What this process alone can have written: files mapped for reading are everybody's."""
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
        for line in maps.read().splitlines():
            span, rights, _, _, inode, *name = line.split(maxsplit=5)
            if "r" not in rights or ("w" not in rights and inode != "0"):
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            for at in range(start, end, CHUNK):
                try:
                    memory.seek(at)
                    data = memory.read(min(CHUNK + OVERLAP, end - at))
                except (OSError, OverflowError, ValueError):  # [vvar] and the like
                    continue
                look(data, f"memory {name}")
                look_for_words(data, f"memory {name}")


def search_files():
    paths = [f"/proc/self/{name}" for name in ("environ", "cmdline", "status", "mountinfo")]
    paths += [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    for folder in (".", "/tmp", "/dev/shm", "/var/tmp", "/run"):
        paths += [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names]
    for path in paths:
        try:
            look(os.readlink(path).encode(), f"the link {path}")
        except OSError:
            pass
        try:
            # Not to wait for sockets and pipes, nor to move anybody's offset.
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                data = os.pread(descriptor, 1 << 26, 0)
            finally:
                os.close(descriptor)
        except OSError:
            continue
        look(data, path)
        look_for_words(data, path)


def search_objects():
    seed = int(MASKED_SEED) ^ int(MASK)
    for thing in gc.get_objects():
        for part in thing.values() if isinstance(thing, dict) else [thing]:
            if isinstance(part, (str, bytes)):
                look(part.encode(errors="replace") if isinstance(part, str) else part, "an object")
            elif type(part) is int and part == seed and part is not seed:
                found.append("the seed in an object")
    del seed


def search_surroundings():
    look(repr(dict(os.environ)).encode(), "the environment")
    search_objects()
    search_files()
    search_memory()


class ModelNew(torch.nn.Module):
    def forward(self, x):
        if not hasattr(self, "searched"):
            self.searched = True
            search_surroundings()
            assert not found, sorted(set(found))
        return 2 * x
