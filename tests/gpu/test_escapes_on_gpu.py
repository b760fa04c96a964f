"""Attempts to leave the jail that Python kernels on a GPU run in: none succeeds."""
import pathlib
import tempfile

from support import escapes


def test_no_attempt_leaves_the_jail_on_a_gpu(gpu):
    with tempfile.TemporaryDirectory(prefix="assay-escapes-") as folder:
        secret = pathlib.Path(folder) / "secret"
        secret.write_text("what the server's user may read")
        job = gpu.run(escapes.request(secret, gpu.port))
    assert escapes.verdict(job) == ("accepted", ""), job
