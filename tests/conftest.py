import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from support import kept, server as server_module  # noqa: E402


def pytest_configure(config):
    if not server_module.BINARY.exists():
        pytest.exit("build/assay is missing: run `make build` first", returncode=2)


# Files that take a minute or more: where several processes share the tests, the long ones begin.
LONG = ("test_durability.py", "test_torch_extensions.py", "test_cheats.py", "test_batch.py", "test_hostile.py",
        "test_hostile_python.py", "test_python_kernels.py", "test_device_metrics.py")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory):
    """With the toolchains and builds that earlier runs made of the same headers, compilers and sources."""
    cache = tmp_path_factory.mktemp("cache")
    kept.lend_cache(cache)
    yield cache
    kept.keep_cache(cache)


@pytest.fixture(scope="session")
def server(tmp_path_factory, cache_dir):
    """One server for all tests that leave it as they found it."""
    running = server_module.Server(tmp_path_factory.mktemp("shared") / "data", cache_dir, keeps_builds=True).start()
    yield running
    assert running.stop() == 0, "SIGTERM must end the server cleanly"


@pytest.fixture
def fresh_server(tmp_path, cache_dir):
    """Makes servers of a test's own; all are stopped at its end. Each would compile the same headers
    at its start, so none does."""
    made = []

    def make(*flags, data="data"):
        made.append(server_module.Server(tmp_path / data, cache_dir, "--no-prepare", *flags))
        return made[-1]

    yield make
    for one in made:
        if one.process is not None and one.process.poll() is None:
            one.stop()
