"""A server that speaks https by itself, with certificates that can be replaced while it runs."""
import http.client
import json
import os
import ssl
import subprocess
import time

import pytest

from support import kernels
from support.server import BINARY


def make_certificate(folder, name):
    """A key and a certificate that it signs itself, for localhost and 127.0.0.1."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-keyout", key, "-out", certificate, "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    return certificate, key


@pytest.fixture
def secured(fresh_server, tmp_path):
    certificate, key = make_certificate(tmp_path, "first")
    server = fresh_server("--tls-certificate", str(certificate), "--tls-key", str(key)).start()
    return server, certificate, key


def ask(server, trusted, path="/health"):
    context = ssl.create_default_context(cafile=trusted)
    connection = http.client.HTTPSConnection("localhost", server.port, context=context, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_command_line_follows_a_job_over_https(secured, tmp_path):
    server, certificate, _ = secured
    assert ask(server, certificate) == 200
    request = tmp_path / "request.json"
    request.write_text(json.dumps(kernels.evaluate(num_trials=1)))
    command = [BINARY, "evaluate", "--server", f"https://localhost:{server.port}", request]
    trusting = {**os.environ, "SSL_CERT_FILE": str(certificate)}
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=trusting)
    assert run.returncode == 0 and "accepted" in run.stdout, run.stderr
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, "SSL_CERT_FILE": "/dev/null"})
    assert run.returncode == 3 and "its certificate is not trusted" in run.stderr


def test_plain_request_gets_no_answer_and_old_protocols_none_either(secured):
    server, certificate, _ = secured
    with pytest.raises((http.client.HTTPException, OSError)):
        server.get("/health")
    old = ssl.create_default_context(cafile=certificate)
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    connection = http.client.HTTPSConnection("localhost", server.port, context=old, timeout=30)
    with pytest.raises(OSError):
        connection.request("GET", "/health")
    assert ask(server, certificate) == 200


def test_certificate_is_replaced_without_a_restart(secured, tmp_path):
    server, certificate, key = secured
    first = tmp_path / "trusted.pem"
    first.write_bytes(certificate.read_bytes())
    assert ask(server, first) == 200
    new_certificate, new_key = make_certificate(tmp_path, "second")
    os.replace(new_key, key)
    os.replace(new_certificate, certificate)
    deadline = time.monotonic() + 10
    while True:
        try:
            assert ask(server, certificate) == 200
            break
        except ssl.SSLError:
            assert time.monotonic() < deadline, "it goes on with the old certificate"
            time.sleep(0.1)
    with pytest.raises(ssl.SSLError):
        ask(server, first)
    assert server.process.poll() is None


def test_certificate_without_its_key_starts_no_server(fresh_server, tmp_path):
    certificate, key = make_certificate(tmp_path, "first")
    other, _ = make_certificate(tmp_path, "other")
    with pytest.raises(RuntimeError, match="--tls-certificate and --tls-key go together"):
        fresh_server("--tls-certificate", str(certificate)).start()
    with pytest.raises(RuntimeError, match="(?s)key"):
        fresh_server("--tls-certificate", str(other), "--tls-key", str(key)).start()
