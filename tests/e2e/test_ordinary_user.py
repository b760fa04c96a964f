"""A server that is not root: it judges all the same, and its jails hold."""
import os
import pathlib
import shutil
import tempfile

import pytest

from support import escapes, kept, kernels
from support.server import BINARY, Server

NOBODY = 65534


@pytest.fixture(scope="module")
def theirs():
    """A server of a user who owns nothing but a folder, and that folder."""
    if os.getuid() != 0:
        pytest.skip("needs root, to start a server as somebody else; without root all tests are such tests")
    with tempfile.TemporaryDirectory(prefix="assay-ordinary-") as name:
        folder = pathlib.Path(name)
        shutil.copy2(BINARY, folder / "assay")
        (folder / "cache").mkdir()
        kept.lend(kept.TOOLCHAINS, folder / "cache" / "toolchains")
        for path in (folder, *folder.rglob("*")):
            if path.is_dir() or path.stat().st_nlink == 1:  # others are links to what all tests share
                os.chown(path, NOBODY, NOBODY)
        # Without torch: root's cannot be read.
        running = Server(folder / "data", folder / "cache", "--python", "/usr/bin/python3")
        running.binary = folder / "assay"
        running.start(user=NOBODY, group=NOBODY, extra_groups=[], cwd=folder)
        yield running, folder
        assert running.stop() == 0


def test_kernels_are_judged(theirs):
    server, _ = theirs
    assert server.run(kernels.compare(num_trials=5))["verdict"] == "accepted"
    wrong = kernels.SCALE.replace("a *", "2 * a *")
    assert server.run(kernels.compare(wrong, num_trials=5))["verdict"] == "wrong_answer"


def test_no_attempt_of_native_code_leaves_the_jail(theirs):
    server, folder = theirs
    secret = folder / "secret"
    secret.write_text("what the server's user may read")
    os.chown(secret, NOBODY, NOBODY)
    job = server.run(escapes.native_request(secret, server.port, num_trials=5))
    assert escapes.verdict(job, escapes.NATIVE_NAMES) == ("accepted", ""), job
