"""Who runs while whom is timed, and what a result says of its times."""
import os
import pathlib
import signal
import time

import pytest
from support import kernels, python_kernels

SLOW = """
import time
import torch
class {name}(torch.nn.Module):
    def forward(self, x):
        end = time.monotonic() + 0.005
        while time.monotonic() < end: pass
        return x + 1
def get_inputs():
    return [torch.randn(64)]
def get_init_inputs():
    return []
"""
# A thread that takes the processor from whoever is timed, from the moment the source is loaded.
LOADS_THE_MACHINE = SLOW.format(name="ModelNew") + """
import os
for _ in range(3):
    if os.fork() == 0:
        while True: pass
"""


def slow_body(candidate=None, **options):
    return python_kernels.compare(
        python_kernels.code(SLOW.format(name="Model"), "torch"),
        python_kernels.code(candidate or SLOW.format(name="ModelNew"), "torch"), **options)


def state_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "gone"


def stopped(server):
    return {pid for pid in server.children() if state_of(pid) == "T"}


def await_stopped(server, limit=60.0):
    """The processes of a contender that stands still, as soon as there is one."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        if found := stopped(server):
            return found
        time.sleep(0.002)
    raise AssertionError("nobody was ever stopped")


def test_nobody_stays_stopped_when_timing_is_over(server):
    job = server.submit(slow_body(num_trials=200))
    await_stopped(server)
    assert server.wait(job)["verdict"] == "accepted"
    assert not stopped(server)


def test_a_killed_worker_leaves_no_stopped_process_behind(fresh_server):
    server = fresh_server().start()
    job = server.submit(slow_body(num_trials=400))
    held = await_stopped(server)
    for worker in server.workers():
        os.kill(worker, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while any(state_of(pid) == "T" for pid in held):
        assert time.monotonic() < deadline, "a stopped process outlived its worker"
        time.sleep(0.01)
    assert server.wait(job)["verdict"] == "accepted"


def test_loading_the_machine_does_not_make_the_reference_slower(server):
    job = server.run(slow_body(LOADS_THE_MACHINE, num_trials=60, judge_speed=True))
    assert job["verdict"] == "accepted", job
    assert job["result"]["speed"]["verdict"] != "faster"


def test_result_says_how_times_were_taken(server):
    body = kernels.compare(num_trials="auto", timing={"threshold": 0.05, "mode": "warm"}, device="cpu")
    job = server.submit(body)
    server.wait(job)
    result = server.get(f"/v1/jobs/{job}?samples=true").json["result"]
    timing, speed = result["candidate_timing"], result["speed"]
    assert timing["trust"] == "claimed" and timing["trust_reason"]
    assert timing["mode"] == "warm" and timing["host_included"] is False
    assert timing["device_time"]["ns"] == timing["statistics_ns"]["median"]
    assert timing["batch_count"] == len(timing["batches"]) == speed["pairs"] >= 10
    assert sum(batch["samples"] for batch in timing["batches"]) == timing["sample_count"]
    assert speed["threshold"] == 0.05 and speed["confidence"] == 0.99
    low, high = speed["interval"]
    assert low <= speed["speedup"] <= high


@pytest.mark.parametrize("timing, field", [({"mode": "cold"}, "mode"), ({"mode": "graph"}, "mode"), ({"threshold": 0}, "threshold")])
@pytest.mark.parametrize("where", [{}, {"device": "cpu"}])
def test_what_cpu_cannot_time_is_refused_before_it_is_built(server, timing, field, where):
    answer = server.post("/v1/jobs", kernels.compare(timing=timing, **where))
    assert answer.status in (400, 422)
    assert field in answer.text
