import pytest
from support import runner


@pytest.fixture(scope="session")
def zygote():
    python, why = runner.find_python()
    if python is None:
        pytest.skip(f"needs a Python with torch and triton: {why}")
    parent = runner.Zygote(python)
    assert parent.hello["hello"] == "ready", parent.hello
    yield parent
    assert parent.close() == 0


@pytest.fixture
def fork(zygote):
    """Makes runners; all are killed at the end of the test."""
    made = []

    def make(**options):
        made.append(zygote.fork(**options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def child(fork):
    return fork()


@pytest.fixture
def arena():
    return runner.Arena()
