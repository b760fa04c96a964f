"""Python kernels that attack, break or cheat: each gets its verdict in time, and nobody else notices."""
import json

import pytest

from support import python_kernels, rest, server as server_module

FIXTURES = sorted((server_module.ROOT / "tests" / "adversarial" / "python").glob("*.py"))
REFERENCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return 2 * x

def get_inputs():
    return [torch.randn(16, 33)]

def get_init_inputs():
    return []
"""
RIGHT = REFERENCE.replace("2 * x", "x + x").replace("class Model(", "class ModelNew(")


@pytest.fixture(scope="module")
def target(tmp_path_factory, cache_dir):
    running = server_module.Server(tmp_path_factory.mktemp("hostile_python") / "data", cache_dir,
                                   "--runner-memory", "512mb", "--spare-runners", "2", keeps_builds=True).start()
    assert running.run(right())["verdict"] == "accepted"
    yield running
    running.stop()


def right():
    return python_kernels.compare(python_kernels.code(REFERENCE, "torch"),
                                  python_kernels.code(RIGHT, "torch"))


@pytest.fixture(scope="module")
def at_rest(target):
    return rest.settled(target)


def files_of(server):
    """All but the database's."""
    return {path for path in server.data_dir.rglob("*") if not path.name.startswith("jobs.")}


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_attack_gets_its_verdict_and_leaves_nothing(target, tmp_path, at_rest, fixture):
    secret = tmp_path / "secret"
    secret.write_text("the answer")
    source = fixture.read_text()
    expected = python_kernels.verdict_of(source)
    says = python_kernels.line_of(source, "says")
    source = source.replace("SECRET_PATH", str(secret)).replace("SERVER_PORT", str(target.port))
    timeout = rest.SHORT if expected == "timed_out" else rest.LONG
    files, zygote = files_of(target), target.pythons()[0]

    job = target.run(python_kernels.compare(
        python_kernels.code(REFERENCE, "torch"), python_kernels.code(source, "torch"),
        timeout=timeout, num_trials=20))
    assert job["state"] == "done", job
    assert job["verdict"] == expected, job["result"]
    assert rest.seconds_on_the_device(job) < timeout + 1
    if expected != "accepted":
        assert job["result"]["reason"]
    if says is not None:
        told = json.dumps(job["result"], ensure_ascii=False).replace('\\"', '"')
        assert says in told and "/site-packages/" not in told and "assay_runner" not in told

    assert target.run(right())["verdict"] == "accepted"
    assert files_of(target) == files, "no file may stay behind"
    assert rest.await_processes(target, at_rest) <= at_rest, "no process may stay behind"
    assert target.pythons()[0] == zygote, "the next job must not wait for Python"
    assert target.get("/v1/devices").json["devices"][0]["state"] == "free"


def test_failing_reference_is_said_to_be_the_reference(target):
    broken = REFERENCE.replace("return 2 * x", "raise ValueError('no weights')")
    job = target.run(python_kernels.compare(python_kernels.code(broken, "torch"),
                                            python_kernels.code(RIGHT, "torch")))
    assert job["verdict"] == "reference_failed"
    assert "no weights" in job["result"]["reason"]


def test_every_attack_says_which_verdict_it_must_get():
    assert len(FIXTURES) >= 40
    for fixture in FIXTURES:
        assert python_kernels.verdict_of(fixture.read_text()), fixture
