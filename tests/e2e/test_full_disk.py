"""A full disk stops no server: it takes no jobs, answers what it knows, and goes on when there is room."""
import os
import subprocess
import time

import pytest

from support import kernels
from support.server import Server

ENDLESS = "__global__ void f(const float*, float* y, float, int) { while (true) y[0] += 1; }"


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own that a test can fill."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("this system does not let us mount")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.fixture
def server(small_disk, cache_dir):
    made = Server(small_disk / "data", cache_dir, "--keep-free", "16mb")
    made.log_path = small_disk.parent / "server.log"
    yield made
    if made.process is not None and made.process.poll() is None:
        made.stop()


def fill(disk):
    with open(disk / "filler", "wb", buffering=0) as file:
        for size in (1 << 20, 4096):
            while True:
                try:
                    if file.write(b"x" * size) < size:
                        break
                except OSError:
                    break


def until(condition, limit=30):
    deadline = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def state(server, job):
    return server.get(f"/v1/jobs/{job}").json["state"]


def test_job_is_refused_before_the_disk_is_full_and_taken_when_there_is_room(server, small_disk):
    server.start()
    space = os.statvfs(small_disk)
    with open(small_disk / "filler", "wb") as file:
        file.write(b"x" * (space.f_bavail * space.f_frsize - (12 << 20)))
    for path, body in (("/v1/jobs", kernels.evaluate()), ("/compare", kernels.compare())):
        answer = server.post(path, body)
        assert answer.status == 507 and int(answer.headers["Retry-After"]) > 0, answer.text
        assert "MiB left" in answer.text
    assert server.get("/v1/jobs").status == 200
    health = server.get("/health")
    assert health.status == 200 and health.json["status"] == "healthy"
    assert health.json["storage"]["taking_jobs"] is False
    assert "MiB left, and 16 MiB must stay free" in health.json["storage"]["reason"]
    assert str(small_disk) not in health.text, "who has no token is not told where the data is"
    (small_disk / "filler").unlink()
    assert server.get("/health").json["storage"] == {"taking_jobs": True}
    assert server.run(kernels.evaluate(num_trials=1))["verdict"] == "accepted"


def test_end_that_could_not_be_written_is_written_when_there_is_room(server, small_disk):
    server.start()
    job = server.submit({**kernels.evaluate(ENDLESS), "timeout": 5})
    until(lambda: state(server, job) == "checking")
    fill(small_disk)
    until(lambda: "could not be written, and is tried again" in server.log_path.read_text())
    assert state(server, job) == "checking" and server.get("/health").status == 200
    (small_disk / "filler").unlink()
    view = server.wait(job, limit=20)
    assert (view["state"], view["verdict"]) == ("done", "timed_out")
    assert server.run(kernels.evaluate(num_trials=1))["verdict"] == "accepted"


def test_server_that_starts_on_a_full_disk_answers_what_it_knows_and_works_later(server, small_disk):
    server.start()
    done = server.submit(kernels.evaluate(num_trials=1))
    server.wait(done)
    job = server.submit({**kernels.evaluate(ENDLESS), "timeout": 5})
    until(lambda: state(server, job) == "checking")
    server.process.kill()
    server.process.wait()
    fill(small_disk)
    server.start()
    assert state(server, done) == "done"
    assert server.post("/v1/jobs", kernels.evaluate()).status == 507
    (small_disk / "filler").unlink()
    assert server.wait(job, limit=30)["verdict"] == "timed_out"


def test_old_jobs_go_when_all_hold_too_much(fresh_server):
    server = fresh_server("--keep-bytes", "1mb").start()
    jobs = []
    for _ in range(12):
        body = kernels.evaluate(num_trials=1)
        body["kernel"]["source_code"] += "// " + os.urandom(100_000).hex() + "\n"
        jobs.append(server.submit(body))
        server.request("DELETE", f"/v1/jobs/{jobs[-1]}")
        server.wait(jobs[-1])
    server.stop()
    server.start()  # sweeps at once
    until(lambda: server.get(f"/v1/jobs/{jobs[0]}").status == 404)
    assert server.get(f"/v1/jobs/{jobs[-1]}").status == 200
