"""Attempts to leave the jail that Python kernels on a GPU run in: none succeeds."""
from support import escapes


def test_no_attempt_leaves_the_jail_on_a_gpu(gpu, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("what the server's user may read")
    job = gpu.run(escapes.request(secret, gpu.port))
    assert escapes.verdict(job) == ("accepted", ""), job
