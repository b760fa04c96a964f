"""What is made once per installation: by the server after its start, and by `assay setup`."""
import os
import pathlib
import pty
import subprocess
import time

import pytest

from support import kernels
from support.server import BINARY, ROOT, Server

HEADERS = "compiling CUDA headers, first time only, about 20 s on an idle machine"


@pytest.fixture
def new_installation(tmp_path):
    """A server that nothing was ever made for, and that finds no Python with torch."""
    made = Server(tmp_path / "data", tmp_path / "cache")
    made.start(env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "none")})
    yield made
    made.stop()


def test_the_first_job_says_what_it_waits_for_and_health_when_it_is_there(new_installation):
    server = new_installation
    health = server.get("/health").json
    assert (health["ready"], health["preparing"]) == (False, [HEADERS])
    job = server.submit(kernels.evaluate(num_trials=1))
    details = set()
    while (view := server.get(f"/v1/jobs/{job}").json)["state"] in ("queued", "building"):
        details |= {phase.get("detail") for phase in view["phases"]}
        time.sleep(0.2)
    assert HEADERS in details
    assert server.wait(job)["verdict"] == "accepted"
    health = server.get("/health").json
    assert (health["ready"], health["preparing"]) == (True, [])
    log = server.log_path.read_text()
    assert f"prepare: {HEADERS}\n" in log and "prepare: ready" in log


def setup_python(*arguments):
    return subprocess.run([BINARY, "setup", "python", *arguments], capture_output=True, text=True, timeout=120)


def test_an_environment_that_is_there_is_left_alone(tmp_path):
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    environment = cache / "assay" / "python"
    wanted = (ROOT / "python" / "requirements.txt").read_text()
    if not (environment / ".requirements").exists() or (environment / ".requirements").read_text() != wanted:
        pytest.skip("tools/bootstrap python has not run")
    done = setup_python("--directory", str(environment))
    assert done.returncode == 0, done.stderr
    assert "nothing to do" in done.stdout and "torch 2." in done.stdout


def test_setup_says_what_to_install_where_there_is_no_python(tmp_path):
    done = setup_python("--directory", str(tmp_path / "venv"), "--python", "/nonexistent/python3")
    assert done.returncode == 3
    assert "/nonexistent/python3 cannot be started" in done.stderr and "python3-venv" in done.stderr


def bootstrap(tmp_path, **streams):
    """What `make build` installs with, where every package is missing and apt-get only talks."""
    for name, text in (("dpkg-query", "exit 1"), ("apt-cache", "exit 1"), ("id", "echo 0"),
                       ("apt-get", '[ "$1" = update ] || echo "Setting up cmake"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    return subprocess.run([ROOT / "tools" / "bootstrap", "build"], check=True, timeout=60,
                          env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}, **streams)


def test_what_is_being_installed_is_shown_on_a_terminal(tmp_path):
    screen, terminal = pty.openpty()
    bootstrap(tmp_path, stdout=terminal)
    os.close(terminal)
    shown = os.read(screen, 10000).decode()
    os.close(screen)
    assert "==> installing g++ cmake" in shown and "Setting up cmake" in shown
    assert shown.endswith("\r\033[K"), "the line is taken back"


def test_a_log_is_told_only_that_something_is_installed(tmp_path):
    done = bootstrap(tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith("==> installing g++ cmake") and done.stdout.count("\n") == 1
