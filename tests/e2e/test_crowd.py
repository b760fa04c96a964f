"""Clients that take all the connections they can get: others are answered all the same."""
import contextlib
import resource
import socket
import time

import pytest

from support import kernels

BEGUN = [b"", b"GET /health HT", b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         b"Content-Length: 9\r\n\r\n{"]


@pytest.fixture
def many_files():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def expect_others_served(server, count):
    """Beside so many connections of which each says something else, and no more."""
    with contextlib.ExitStack() as open_ones:
        for i in range(count):
            one = open_ones.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            with contextlib.suppress(ConnectionError):  # it had to make room
                one.sendall(BEGUN[i % len(BEGUN)])
        started = time.monotonic()
        assert server.get("/health").status == 200
        assert time.monotonic() - started < 2
        job = server.run(kernels.evaluate(num_trials=1))
        assert job["verdict"] == "accepted", job


def test_idle_connections_keep_nobody_out(fresh_server, many_files):
    expect_others_served(fresh_server().start(), 4500)


def test_connections_leave_the_server_files_to_work_with(fresh_server, many_files):
    few = (1024, 1024)
    server = fresh_server().start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few))
    assert "at most 512 connections" in server.log_path.read_text()
    expect_others_served(server, 1500)
