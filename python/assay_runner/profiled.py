"""A runner that is nobody's fork: the worker starts it under a profiler, in a jail of its own.

It serves the same protocol as a forked one (session.py) on descriptor 3, and says `done` first, when
it is ready. What confines it is the jail that the profiler is in.
"""

from __future__ import annotations

import os
import sys

from assay_runner.frames import FrameSocket

CHANNEL_DESCRIPTOR = 3


def main() -> None:
    channel = FrameSocket(CHANNEL_DESCRIPTOR)
    from assay_runner.session import DONE, Session

    os.chdir("/tmp")
    session = Session(channel, os.environ["ASSAY_DEVICE"], int(sys.argv[1]))
    channel.send(DONE)
    sys.exit(session.serve())
