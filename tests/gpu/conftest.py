import pytest

from support import server as server_module


@pytest.fixture(scope="session")
def gpu(tmp_path_factory, cache_dir):
    """One server that uses every GPU there is."""
    try:
        running = server_module.Server(tmp_path_factory.mktemp("gpu") / "data", cache_dir,
                                       "--devices", "cuda").start()
    except RuntimeError as failure:
        pytest.skip(f"no GPU: {failure}")
    yield running
    assert running.stop() == 0
