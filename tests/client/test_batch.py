"""Many jobs at once."""
import asyncio
import threading
import time

import pytest

import assay_client
from assay_client import EvaluationRequest
from support import kernels

KERNEL = kernels.evaluate()["kernel"]
WRONG = {"kernel": {"source_code": "", "kernel_type": "dance"}}


def requests(count):
    return [EvaluationRequest(KERNEL, num_trials=1 + index) for index in range(count)]


def test_every_request_ends_as_an_item(client):
    items = list(client.batch(requests(12), max_in_flight=4))
    assert sorted(item.index for item in items) == list(range(12))
    assert all(item.accepted for item in items)
    for item in items:
        assert item.job.result["candidate_timing"]["sample_count"] == item.request.num_trials


def test_one_failure_ends_nothing(client):
    mixed = [*requests(2), WRONG, EvaluationRequest(object()), *requests(2)]
    items = {item.index: item for item in client.batch(mixed)}
    assert sorted(items) == list(range(6))
    assert isinstance(items[2].error, assay_client.InvalidRequest)
    assert isinstance(items[3].error, TypeError)
    assert [index for index in items if items[index].accepted and not items[index].error] != []
    assert {index for index in items if items[index].accepted} == {0, 1, 4, 5}


def test_progress_is_told_after_every_item(client):
    told = []
    list(client.batch([*requests(3), WRONG], progress=told.append))
    assert [now.finished for now in told] == [1, 2, 3, 4]
    assert told[-1] == assay_client.Progress(finished=4, accepted=3, errors=1, total=4)


def test_requests_are_taken_only_as_there_is_room(server):
    taken = []

    def source():
        for request in requests(40):
            taken.append(request)
            yield request

    client = assay_client.AssayClient(f"http://127.0.0.1:{server.port}")
    told = []
    for finished, _ in enumerate(client.batch(source(), max_in_flight=3, progress=told.append), 1):
        if finished == 2:
            break
    assert len(taken) <= 12  # those on their way, and those that ended meanwhile
    assert told[0].total is None


def test_leaving_early_ends_the_thread_at_once(server):
    client = assay_client.AssayClient(f"http://127.0.0.1:{server.port}")
    endless = "__global__ void f(const float*, float* y, float, int) { while (true) y[0] += 1; }"
    slow = EvaluationRequest(kernels.kernel(endless, kernels.scale_io()), timeout=30, priority=-9)
    started = time.monotonic()
    for item in client.batch([requests(1)[0], slow], max_in_flight=2):
        assert item.index == 0
        break
    assert time.monotonic() - started < 15
    assert not [t for t in threading.enumerate() if t.name == "assay-batch"]
    for job in client.list_jobs(state=["queued", "building", "waiting", "checking"]):
        client.cancel(job)


def test_error_of_the_requests_themselves_reaches_the_caller(client):
    def source():
        yield requests(1)[0]
        raise KeyError("the file ended")

    with pytest.raises(KeyError, match="the file ended"):
        list(client.batch(source()))


def test_no_room_at_all_is_refused(client):
    with pytest.raises(ValueError, match="max_in_flight"):
        list(client.batch(requests(1), max_in_flight=0))


def test_blocking_client_works_inside_of_a_running_loop(server):
    async def cell_of_a_notebook():
        client = assay_client.AssayClient(f"http://127.0.0.1:{server.port}")
        job = client.submit(requests(1)[0])
        states = [event.state for event in client.stream(job)]
        return states, list(client.batch(requests(2)))

    states, items = asyncio.run(cell_of_a_notebook())
    assert states[-1] == "done" and len(items) == 2


def test_cancelled_task_leaves_its_wait_at_once(server):
    async def impatient():
        client = assay_client.AsyncAssayClient(f"http://127.0.0.1:{server.port}")
        endless = "__global__ void f(const float*, float* y, float, int) { while (true) y[0] += 1; }"
        job = await client.submit(EvaluationRequest(kernels.kernel(endless, kernels.scale_io())))
        task = asyncio.ensure_future(client.wait(job))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await client.cancel(job)

    started = time.monotonic()
    asyncio.run(impatient())
    assert time.monotonic() - started < 5
