"""An https address: a real handshake with a certificate of the test's own."""
import ssl
import subprocess

import pytest

import assay_client
from assay_client import AssayClient, AsyncAssayClient, NO_RETRIES
from client import faults
from client.both import Awaited


class TlsProxy(faults.Proxy):
    def __init__(self, port, certificate, key):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)
        super().__init__(port)

    def _serve(self, connection, step):
        try:
            super()._serve(self._context.wrap_socket(connection, server_side=True), step)
        except ssl.SSLError:
            connection.close()  # the client did not trust us


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture(params=[AssayClient, lambda *a, **k: Awaited(AsyncAssayClient(*a, **k))],
                ids=["blocking", "asyncio"])
def client_type(request):
    return request.param


def test_trusted_server_is_spoken_to(server, certificate, client_type):
    proxy = TlsProxy(server.port, *certificate)
    trust = ssl.create_default_context(cafile=certificate[0])
    client = client_type(f"https://localhost:{proxy.port}", tls=trust, retries=NO_RETRIES)
    assert client.health_check()["status"] == "healthy"
    proxy.close()


def test_unknown_certificate_is_refused_at_once(server, certificate, client_type):
    proxy = TlsProxy(server.port, *certificate)
    with pytest.raises(assay_client.ConnectionFailed, match=r"attempts: 1.*CERTIFICATE_VERIFY_FAILED"):
        client_type(f"https://localhost:{proxy.port}").health_check()
    assert proxy.requests == []
    proxy.close()
