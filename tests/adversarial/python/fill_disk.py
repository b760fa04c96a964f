# verdict: accepted
# Writes until the private /tmp is full: right only if that comes long before the host's disk is full.
import errno
import os

import torch

MUCH = 4 << 30


def fill():
    """How many bytes there was room for, in files of 64 MiB."""
    written = 0
    try:
        for number in range(MUCH >> 26):
            with open(f"/tmp/fill{number}", "wb", buffering=0) as file:
                for _ in range(64):
                    written += file.write(bytes(1 << 20))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
    return written


room = fill()


class ModelNew(torch.nn.Module):
    def forward(self, x):
        assert room < MUCH, room
        elsewhere = [path for path in ("/", "/usr", "/var", "/etc") if os.access(path, os.W_OK)]
        assert not elsewhere, elsewhere
        return 2 * x
