import sys

import pytest

from support.server import ROOT

sys.path.insert(0, str(ROOT / "python" / "assay_client" / "src"))

import assay_client  # noqa: E402
from client import faults  # noqa: E402
from client.both import Awaited  # noqa: E402


@pytest.fixture(params=["blocking", "asyncio"])
def connect(request):
    """Makes a client of either kind, with the same methods."""
    def make(port, **options):
        url = f"http://127.0.0.1:{port}"
        if request.param == "blocking":
            return assay_client.AssayClient(url, **options)
        return Awaited(assay_client.AsyncAssayClient(url, **options))
    return make


@pytest.fixture
def client(connect, server):
    return connect(server.port)


@pytest.fixture
def faulty(server):
    """A proxy before the server whose first connections go wrong as planned."""
    made = []

    def make(*plan):
        made.append(faults.Proxy(server.port, plan))
        return made[-1]

    yield make
    for proxy in made:
        proxy.close()
