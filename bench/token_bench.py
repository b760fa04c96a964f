#!/usr/bin/env python3
"""What tokens and TLS cost: the same cached comparison by a server without, one with tokens, and one with both, in turn.

Aim: tokens cost 5 % at most. Connections are kept, as clients keep them.
"""
import argparse
import http.client
import json
import os
import pathlib
import ssl
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from driver import http_load  # noqa: E402
from support import kernels  # noqa: E402
from support.server import BINARY, Server  # noqa: E402

BODY = json.dumps(kernels.compare(num_trials=10)).encode()
AIM = 1.05


class Client(http.client.HTTPConnection):
    """A connection that sends a token with every request."""

    def __init__(self, port, token):
        super().__init__("127.0.0.1", port, timeout=600)
        self.token = token

    def request(self, method, url, body=None, headers=None, **kwargs):
        super().request(method, url, body, {**headers, "Authorization": f"Bearer {self.token}"}, **kwargs)


class SecureClient(Client):
    def __init__(self, port, token, certificate):
        super().__init__(port, token)
        self.context = ssl.create_default_context(cafile=certificate)

    def connect(self):
        super().connect()
        self.sock = self.context.wrap_socket(self.sock, server_hostname="localhost")


def make_token(data):
    done = subprocess.run([BINARY, "token", "create", "--name", "bench", "--scope", "admin", "--data-dir", data],
                          check=True, capture_output=True, text=True)
    return done.stdout.strip()


def make_certificate(folder):
    certificate, key = f"{folder}/certificate.pem", f"{folder}/key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                   check=True, capture_output=True)
    return certificate, key


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--each", type=int, default=50, help="requests in a row")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        certificate, key = make_certificate(folder)
        token, other = make_token(f"{folder}/tokens"), make_token(f"{folder}/tls")
        servers = {name: Server(f"{folder}/{name}", f"{folder}/cache", "--no-prepare", "--spare-runners", "2", *flags).start()
                   for name, flags in (("plain", ()), ("tokens", ()),
                                       ("tls", ("--tls-certificate", certificate, "--tls-key", key)))}
        try:
            clients = {"plain": http_load.connect(servers["plain"]), "tokens": Client(servers["tokens"].port, token),
                       "tls": SecureClient(servers["tls"].port, other, certificate)}
            times = {name: [] for name in clients}
            for number in range(options.rounds + 1):
                names = list(clients)
                for name in names[number % 3:] + names[:number % 3]:
                    taken = [http_load.evaluate(clients[name], BODY)[0] for _ in range(options.each)]
                    if number > 0:  # the first warms up
                        times[name] += taken
        finally:
            for server in servers.values():
                server.stop(limit=60)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"machine     {os.cpu_count()} cores, load {load}")
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    for name, taken in times.items():
        print(f"{name:<11} median {medians[name] * 1e3:.2f} ms over {len(taken)}, {medians[name] / medians['plain']:.3f} of plain")
    kept = medians["tokens"] <= AIM * medians["plain"]
    print(f"aim         tokens within 5 %: {'kept' if kept else 'MISSED'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
