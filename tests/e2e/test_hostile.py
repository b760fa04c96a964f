"""Submissions that attack: each gets its verdict in time, and nobody else notices."""
import json
import pathlib
import re
import subprocess
import sys
import time

import pytest

from support import kernels, server as server_module

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "adversarial"
FIXTURES = sorted(FOLDER.glob("*.cu"))
TIMEOUT = 5


def settled_children(server, limit=5.0):
    """The server's processes once spares are refilled and used runners are gone."""
    deadline, last = time.monotonic() + limit, None
    while time.monotonic() < deadline:
        now = server.children()
        if now == last:
            return now
        last = now
        time.sleep(0.3)
    return last


def expected_verdicts(source):
    """As the fixture's first lines say; a jail without memory accounting may have its own."""
    checks = json.loads(subprocess.run([server_module.BINARY, "doctor", "--json"], check=True,
                                       capture_output=True).stdout)["checks"]
    counted = next(c["ok"] for c in checks if c["check"] == "jail: cgroup_memory")
    without = re.search(r"// verdict without a memory cgroup: (.*)", source)
    chosen = without if without and not counted else re.match(r"// verdict: (.*)", source)
    return chosen[1].split()


@pytest.fixture(scope="module")
def target(tmp_path_factory, cache_dir):
    # Without torch: the processes of Python runners come and go while others are counted.
    running = server_module.Server(tmp_path_factory.mktemp("hostile") / "data", cache_dir,
                                   "--runner-memory", "512mb",
                                   "--python", sys.executable).start()
    running.run(kernels.compare(num_trials=5))
    yield running
    running.stop()


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_attack_gets_its_verdict_and_leaves_nothing(target, tmp_path, fixture):
    secret = tmp_path / "secret"
    secret.write_text("the answer")
    source = fixture.read_text()
    expected = expected_verdicts(source)
    source = source.replace("SECRET_PATH", str(secret)).replace("SERVER_PORT", str(target.port))
    before = settled_children(target)

    started = time.monotonic()
    job = target.run(kernels.compare(source, timeout=TIMEOUT, num_trials=20))
    assert job["state"] == "done", job
    assert job["verdict"] in expected, job["result"]["reason"]
    if job["verdict"] != "accepted":
        assert job["result"]["reason"]
    building = sum(p.get("duration_ms", 0) for p in job["phases"] if p["state"] == "building")
    assert time.monotonic() - started - building / 1000 < TIMEOUT + 1, job["phases"]

    good = target.run(kernels.compare(num_trials=5))
    assert good["verdict"] == "accepted", good
    after = settled_children(target)
    assert len(after) == len(before), "no process may stay behind"
    device = target.get("/v1/devices").json["devices"][0]
    assert device["state"] == "free"


def test_every_attack_says_which_verdict_it_must_get():
    assert len(FIXTURES) >= 20
    for fixture in FIXTURES:
        assert fixture.read_text().startswith("// verdict: "), fixture
