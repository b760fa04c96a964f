"""Whatever dies, no accepted job is lost and none is answered twice."""
import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import time

import pytest

from support import kernels, python_kernels
from support.server import BINARY, control_groups

KILLS = 100
PYTHON_KILLS = 32


def body(i):
    # Some jobs build something new, some come from the cache, some are wrong.
    if i % 10 == 0:
        return kernels.compare(kernels.SCALE + f"// {i}\n", num_trials=5)
    if i % 10 == 5:
        return kernels.compare(kernels.SCALE.replace("a *", "2 * a *"), num_trials=5)
    return kernels.compare(num_trials=5)


def expected(i):
    return "wrong_answer" if i % 10 == 5 else "accepted"


def kill_one(server, rng):
    """The server itself, or one of its children."""
    children = sorted(server.children())
    if children and rng.random() < 0.6:
        try:
            os.kill(rng.choice(children), signal.SIGKILL)
        except ProcessLookupError:
            pass
        return False
    server.process.kill()
    server.process.wait()
    return True


def test_a_hundred_kills_lose_no_job_and_answer_none_twice(fresh_server):
    rng = random.Random(20261115)
    server = fresh_server("--max-attempts", "50").start()
    jobs, kills, restarts = {}, 0, 0
    while kills < KILLS:
        for _ in range(rng.randrange(1, 3)):
            number = len(jobs)
            key = {"Idempotency-Key": f"job-{number}"}
            try:
                jobs[number] = server.submit(body(number), headers=key)
            except (OSError, AssertionError):
                jobs.pop(number, None)  # not answered, so not promised
        time.sleep(rng.random() * 0.15)
        orphans = server.children()
        if kill_one(server, rng):
            restarts += 1
            deadline = time.monotonic() + 5
            while any(os.path.exists(f"/proc/{pid}") for pid in orphans):
                assert time.monotonic() < deadline, "children outlived a killed server"
                time.sleep(0.01)
            server.start()
        kills += 1
    assert restarts >= KILLS // 5

    for number, job in jobs.items():
        view = server.wait(job)
        assert view["state"] == "done", view
        assert view["verdict"] == expected(number), view
    for job in jobs.values():
        finals = [e for e in events(server, job) if e in ("done", "failed", "cancelled")]
        assert finals == ["done"]
    assert len(set(jobs.values())) == len(jobs)


def events(server, job):
    import json
    text = server.get(f"/v1/jobs/{job}/events").text
    return [json.loads(line[5:])["state"] for line in text.splitlines() if line.startswith("data:")]


def python_body(i):
    source = python_kernels.FOLDER / "add"
    sense = "wrong" if i % 4 == 3 else "right"
    return python_kernels.compare(
        python_kernels.code((source / "reference.py").read_text(), "torch"),
        python_kernels.code((source / f"torch_{sense}.py").read_text() + f"# {i}\n", "torch"))


def on_the_device(server, jobs):
    """The job that is evaluated now; None where there is none."""
    for job in jobs:
        if server.get(f"/v1/jobs/{job}").json["state"] in ("checking", "timing"):
            return job
    return None


def not_ended(server, jobs):
    """The first job that has no end yet: it is evaluated now, or the next to be; None where all have ended."""
    for job in jobs:
        if server.get(f"/v1/jobs/{job}").json["state"] not in ("done", "failed", "cancelled"):
            return job
    return None


def kill_python(server, victim):
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def test_python_that_is_killed_at_any_moment_loses_no_job(fresh_server):
    """The zygote dies again and again; of the runners of one job only one does, because a kernel
    whose own process is killed twice has crashed."""
    rng = random.Random(20261116)
    server = fresh_server("--max-attempts", "50", "--spare-runners", "2").start()
    jobs, hurt, kills, zygotes = [], set(), 0, 0
    while kills < PYTHON_KILLS:
        while len(jobs) < kills + 2:
            jobs.append(server.submit(python_body(len(jobs))))
        recent = jobs[-4:]
        wait_for(lambda: on_the_device(server, recent) or server.wait(recent[-1]))
        time.sleep(rng.random() * 0.3)
        zygote, *forked = server.pythons() or [None]
        if kills % 8 == 7 and zygote is not None:
            killed = kill_python(server, zygote)
            zygotes += killed
        elif forked and (job := on_the_device(server, recent)) and job not in hurt:
            killed = kill_python(server, rng.choice(forked))
            hurt |= {job, not_ended(server, jobs)}  # the next job may have had the runner already
        else:
            killed = False
            jobs.append(server.submit(python_body(len(jobs))))
        kills += killed

    for number, job in enumerate(jobs):
        view = server.wait(job)
        assert view["state"] == "done", view
        assert view["verdict"] == ("wrong_answer" if number % 4 == 3 else "accepted"), view
        assert [e for e in events(server, job) if e in ("done", "failed", "cancelled")] == ["done"]
    assert zygotes >= PYTHON_KILLS // 8 and len(set(jobs)) == len(jobs)
    assert server.get("/v1/devices").json["devices"][0]["state"] == "free"


def test_job_that_keeps_losing_its_worker_fails_with_the_reason(fresh_server):
    server = fresh_server("--max-attempts", "2").start()
    endless = "__global__ void f(const float*, float* y, float, int) { while (true) y[0] += 1; }"
    job = server.submit(kernels.evaluate(endless, timeout=120))
    for _ in range(2):
        wait_for(lambda: server.get(f"/v1/jobs/{job}").json["state"] == "checking")
        for pid in sorted(server.children()):  # the worker's own tree first
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.3)
    view = server.wait(job)
    assert view["state"] == "failed" and view["attempts"] == 2
    assert "worker" in view["error"]["message"]
    assert server.run(kernels.evaluate(num_trials=3))["verdict"] == "accepted"


def test_no_control_group_outlives_its_worker_or_the_server(fresh_server):
    """Runners live in groups that their worker made. A worker that is killed cannot remove them."""
    server = fresh_server().start()
    assert server.run(kernels.compare(num_trials=5))["verdict"] == "accepted"
    seen = {server.process.pid, *server.children()}
    (first,) = server.workers()
    if not control_groups({first}):
        pytest.skip("needs control groups that this user may make")
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: first not in server.workers())
    assert server.run(kernels.compare(num_trials=5))["verdict"] == "accepted"
    assert not control_groups({first})
    seen |= server.children()
    assert server.stop() == 0
    assert not control_groups(seen)


def test_deaths_of_the_server_use_up_no_attempts(fresh_server):
    server = fresh_server("--max-attempts", "2").start()
    jobs = [server.submit(kernels.evaluate(num_trials=3 + i)) for i in range(12)]
    for i in range(8):
        time.sleep(0.02 * i)
        server.process.kill()
        server.process.wait()
        server.start()
    for job in jobs:
        view = server.wait(job)
        assert view["state"] == "done", view


def test_second_server_on_the_same_data_is_refused(fresh_server):
    fresh_server().start()
    second = fresh_server()
    try:
        second.start()
    except RuntimeError as error:
        assert "another" in str(error) or "lock" in str(error), error
    else:
        raise AssertionError("two servers shared a data directory")


def wait_for(condition, limit=60):
    deadline = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def fsck(server, *flags):
    return subprocess.run([BINARY, "fsck", "--data-dir", str(server.data_dir), *flags],
                          capture_output=True, text=True)


def test_data_directory_is_checked_and_mended(fresh_server):
    server = fresh_server().start()
    job = server.submit(kernels.evaluate(num_trials=1))
    server.wait(job)
    in_use = fsck(server)
    assert in_use.returncode == 3 and "in use by another assay" in in_use.stderr
    server.stop()
    assert fsck(server).stdout == "1 jobs, 0 findings\n"
    with contextlib.closing(sqlite3.connect(server.data_dir / "jobs.db")) as database, database:
        database.execute("DELETE FROM bodies")
    broken = fsck(server)
    assert broken.returncode == 1 and f"WRONG   job {job} has lost its request" in broken.stdout
    assert fsck(server, "--mend").returncode == 0
    assert fsck(server).stdout == "0 jobs, 0 findings\n"
    assert server.start().run(kernels.evaluate(num_trials=1))["verdict"] == "accepted"
