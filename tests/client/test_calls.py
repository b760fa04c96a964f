"""Both clients against a real server."""
import subprocess
import threading
import time

import pytest

import assay_client
from assay_client import CompareRequest, EvaluationRequest
from support import kernels
from support.server import BINARY

ENDLESS = "__global__ void f(const float*, float* y, float, int) { while (true) y[0] += 1; }"
BODY = kernels.compare(num_trials=5)


def test_compare_answers_in_the_compatible_form(client):
    result = client.compare(BODY["ref_kernel"], BODY["custom_kernel"], num_trials=5)
    assert result["status"] == "success" and result["verdict"] == "accepted"
    execution = result["kernel_exec_result"]
    assert execution["correctness"] is True
    assert execution["runtime"] == execution["runtime_stats"].mean > 0
    assert result["ref_runtime"].median > 0
    # The middle of the ratios of pairs of batches.
    reference, candidate = result["ref_runtime"], execution["runtime_stats"]
    assert reference.min / candidate.max <= result["speedup"] <= reference.max / candidate.min


def test_wrong_kernel_is_an_answer_and_no_exception(client):
    wrong = kernels.kernel(kernels.SCALE.replace("a * x[i]", "a + x[i]"), kernels.scale_io())
    result = client.compare(BODY["ref_kernel"], wrong, num_trials=5)
    assert result["verdict"] == "wrong_answer"
    assert result["kernel_exec_result"]["correctness"] is False
    assert "y[" in result["kernel_exec_result"]["validation_error"]


def test_tolerances_are_applied(client):
    near = kernels.kernel(kernels.SCALE.replace("a * x[i]", "a * x[i] + 0.001f"), kernels.scale_io())
    loose = client.compare(BODY["ref_kernel"], near, 5, atol=1e-2, rtol=1e-2)
    assert loose["verdict"] == "accepted"
    strict = client.compare(BODY["ref_kernel"], near, 5, atol=1e-6, rtol=1e-6)
    assert strict["verdict"] == "wrong_answer"


def test_evaluate_times_one_kernel(client):
    result = client.evaluate(kernels.evaluate()["kernel"], num_trials=7)
    assert result["kernel_exec_result"]["metadata"]["num_trials"] == 7
    assert "ref_runtime" not in result


def test_work_that_takes_too_long_is_raised_with_its_job(client):
    with pytest.raises(assay_client.JobTimedOut, match="timed out after 5 seconds") as caught:
        client.evaluate(kernels.kernel(ENDLESS, kernels.scale_io()), timeout=5)
    assert caught.value.job.verdict == "timed_out"
    assert isinstance(caught.value, TimeoutError)


def test_submit_returns_at_once_and_wait_gives_the_verdict(client):
    job = client.submit(CompareRequest(BODY["ref_kernel"], BODY["custom_kernel"], num_trials=5))
    assert job.verdict is None and not job.ended
    done = client.wait(job)
    assert done.id == job.id and done.accepted and done.reason == ""
    assert done.speedup > 0 and done.speed_verdict == "not_judged"
    assert client.wait(job.id) == done


def test_wait_brings_every_sample_when_asked(client):
    job = client.submit(EvaluationRequest(BODY["ref_kernel"], num_trials=9))
    timing = client.wait(job, samples=True).result["candidate_timing"]
    assert len(timing["samples_ns"]) == 9


def test_wait_ends_after_the_callers_own_time_and_the_job_goes_on(client):
    job = client.submit(EvaluationRequest(kernels.kernel(ENDLESS, kernels.scale_io()), timeout=60))
    started = time.monotonic()
    with pytest.raises(assay_client.WaitTimedOut, match=job.id):
        client.wait(job, timeout=0.5)
    assert 0.4 < time.monotonic() - started < 3
    assert not client.get_job(job).ended
    assert client.cancel(job) in ("cancelled", "queued", "building", "waiting", "checking")
    assert client.wait(job).state == "cancelled"
    assert client.cancel(job) == "cancelled"


def test_cancelled_comparison_is_raised(client, server):
    def cancel_the_newest():
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for job in server.get("/v1/jobs?state=checking&limit=1").json["jobs"]:
                server.request("DELETE", f"/v1/jobs/{job['id']}")
                return
            time.sleep(0.05)

    helper = threading.Thread(target=cancel_the_newest)
    helper.start()
    with pytest.raises(assay_client.JobCancelled):
        client.evaluate(kernels.kernel(ENDLESS, kernels.scale_io()), timeout=60)
    helper.join()


def test_finished_job_cannot_be_cancelled(client):
    job = client.wait(client.submit(EvaluationRequest(BODY["ref_kernel"], num_trials=1)))
    with pytest.raises(assay_client.Conflict) as caught:
        client.cancel(job)
    assert caught.value.status == 409 and caught.value.code == "conflict"


def test_stream_gives_every_state_once_in_order(client):
    job = client.submit(CompareRequest(BODY["ref_kernel"], BODY["custom_kernel"], num_trials=5))
    events = list(client.stream(job))
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert [event.state for event in events] == [
        "queued", "building", "waiting", "checking", "timing", "done"]
    assert [e.sequence for e in client.stream(job, after=4)] == [5, 6]
    assert list(client.stream(job, after=6)) == []


def test_stream_may_be_left_early(client):
    job = client.submit(EvaluationRequest(BODY["ref_kernel"], num_trials=1))
    for event in client.stream(job):
        assert event.state == "queued"
        break
    assert client.wait(job).accepted


def test_every_wrong_field_is_named(client):
    broken = kernels.evaluate()
    broken["kernel"]["io"]["args"][0]["tensor_spec"]["dtype"] = "float33"
    broken["surprise"] = 1
    with pytest.raises(assay_client.InvalidRequest) as caught:
        client.submit(broken)
    paths = {field.path for field in caught.value.fields}
    assert paths == {"kernel.io.args[0].tensor_spec.dtype", "surprise"}
    assert "\n  surprise: there is no field 'surprise'" in str(caught.value)


def test_unknown_job_is_not_found_everywhere(client):
    for ask in (client.get_job, client.wait, client.cancel, client.get_job_status):
        with pytest.raises(assay_client.NotFound):
            ask("no such job")
    with pytest.raises(assay_client.NotFound):
        list(client.stream("no such job"))


def test_same_key_is_the_same_job_and_refuses_another_request(client):
    key = f"client-{time.monotonic_ns()}"
    first = client.submit(EvaluationRequest(BODY["ref_kernel"], 5), idempotency_key=key)
    again = client.submit(EvaluationRequest(BODY["ref_kernel"], 5), idempotency_key=key)
    assert first.id == again.id
    with pytest.raises(assay_client.Conflict):
        client.submit(EvaluationRequest(BODY["ref_kernel"], 6), idempotency_key=key)


def test_jobs_are_listed_over_pages(client):
    ids = {client.submit(EvaluationRequest(BODY["ref_kernel"], 1)).id for _ in range(5)}
    for job in ids:
        client.wait(job)
    seen = [job.id for job in client.list_jobs(state="done", verdict=["accepted"], page_size=2)]
    assert ids <= set(seen) and len(seen) == len(set(seen))
    with pytest.raises(assay_client.InvalidRequest, match="state"):
        list(client.list_jobs(state="dancing"))


def test_job_shows_its_request(client):
    body = kernels.evaluate(num_trials=1)
    assert client.get_job(client.submit(body), request=True).raw["request"] == body


def test_methods_of_the_compatible_client_answer(client):
    job = client.evaluate(BODY["ref_kernel"], 1)["job_id"]
    assert client.health_check()["status"] == "healthy"
    assert client.get_job_status(job)["status"] == "completed"
    assert client.get_stats()["throughput"]["completed_requests"] >= 1
    assert client.cleanup_jobs()["status"] == "cleanup_completed"
    assert client.devices()[0]["id"] == "cpu"
    assert assay_client.KernelEvalClient is assay_client.AssayClient


def test_client_is_a_context_manager(server):
    with assay_client.KernelEvalClient(f"http://127.0.0.1:{server.port}", timeout=30) as client:
        assert client.health_check()["status"] == "healthy"


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "ftp://host", "http://"])
def test_address_that_is_none_is_refused(address):
    with pytest.raises(ValueError, match="address"):
        assay_client.AssayClient(address)


def test_token_is_sent_and_one_that_is_missing_is_told(connect, fresh_server, monkeypatch):
    server = fresh_server()
    made = subprocess.run([BINARY, "token", "create", "--name", "ci", "--scope", "submit",
                           "--data-dir", str(server.data_dir)], capture_output=True, text=True, check=True)
    secret = made.stdout.strip()
    server.start()
    with pytest.raises(assay_client.NotAllowed):
        connect(server.port).get_job("x")
    with pytest.raises(assay_client.NotFound):
        connect(server.port, token=secret).get_job("x")
    monkeypatch.setenv("ASSAY_TOKEN", secret)
    with pytest.raises(assay_client.NotFound):
        connect(server.port).get_job("x")
