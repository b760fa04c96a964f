"""Submissions that attack: each gets its verdict in time, and nobody else notices."""
import functools
import json
import pathlib
import re
import subprocess
import sys

import pytest

from support import kernels, rest, server as server_module

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "adversarial"
FIXTURES = sorted(FOLDER.glob("*.cu"))


@functools.cache
def memory_is_counted():
    checks = json.loads(subprocess.run([server_module.BINARY, "doctor", "--json"], check=True,
                                       capture_output=True).stdout)["checks"]
    return next(c["ok"] for c in checks if c["check"] == "jail: cgroup_memory")


def expected_verdicts(source):
    """As the fixture's first lines say; a jail without memory accounting may have its own."""
    without = re.search(r"// verdict without a memory cgroup: (.*)", source)
    chosen = without if without and not memory_is_counted() else re.match(r"// verdict: (.*)", source)
    return chosen[1].split()


@pytest.fixture(scope="module")
def target(tmp_path_factory, cache_dir):
    # Without torch: the processes of Python runners come and go while others are counted.
    running = server_module.Server(tmp_path_factory.mktemp("hostile") / "data", cache_dir,
                                   "--runner-memory", "512mb",
                                   "--python", sys.executable, keeps_builds=True).start()
    running.run(kernels.compare(num_trials=5))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def at_rest(target):
    return rest.settled(target)


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_attack_gets_its_verdict_and_leaves_nothing(target, tmp_path, at_rest, fixture):
    secret = tmp_path / "secret"
    secret.write_text("the answer")
    source = fixture.read_text()
    expected = expected_verdicts(source)
    source = source.replace("SECRET_PATH", str(secret)).replace("SERVER_PORT", str(target.port))
    timeout = rest.SHORT if "timed_out" in expected else rest.LONG

    job = target.run(kernels.compare(source, timeout=timeout, num_trials=20))
    assert job["state"] == "done", job
    assert job["verdict"] in expected, job["result"]["reason"]
    assert rest.seconds_on_the_device(job) < timeout + 1
    if job["verdict"] != "accepted":
        assert job["result"]["reason"]

    assert target.run(kernels.compare(num_trials=5))["verdict"] == "accepted"
    assert rest.await_processes(target, at_rest) <= at_rest, "no process may stay behind"
    device = target.get("/v1/devices").json["devices"][0]
    assert device["state"] == "free"


def test_every_attack_says_which_verdict_it_must_get():
    assert len(FIXTURES) >= 20
    for fixture in FIXTURES:
        assert fixture.read_text().startswith("// verdict: "), fixture
