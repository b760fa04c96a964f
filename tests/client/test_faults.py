"""Connections that break, servers that are busy: a real proxy does it to real connections."""
import json
import socket
import time

import pytest

import assay_client
from assay_client import EvaluationRequest, Retries
from client import faults
from support import kernels

REQUEST = EvaluationRequest(kernels.evaluate()["kernel"], num_trials=1)
QUICK = Retries(attempts=4, patience=20)


def test_request_is_repeated_until_it_arrives(connect, faulty):
    proxy = faulty(faults.dropped, faults.dropped)
    assert connect(proxy.port, retries=QUICK).health_check()["status"] == "healthy"
    assert len(proxy.requests) == 3


def test_lost_answer_to_a_submission_makes_no_second_job(connect, faulty, server):
    proxy = faulty(faults.answer_lost)
    before = len(server.get("/v1/jobs?limit=500").json["jobs"])
    job = connect(proxy.port, retries=QUICK).submit(REQUEST)
    keys = [proxy.header(index, "Idempotency-Key") for index in range(2)]
    assert keys[0] == keys[1] and len(keys[0]) == 32
    assert len(server.get("/v1/jobs?limit=500").json["jobs"]) == before + 1
    assert server.wait(job.id)["verdict"] == "accepted"


def test_two_submissions_have_different_keys(connect, faulty):
    proxy = faulty()
    client = connect(proxy.port)
    assert client.submit(REQUEST).id != client.submit(REQUEST).id
    assert proxy.header(0, "Idempotency-Key") != proxy.header(1, "Idempotency-Key")


def test_answer_that_breaks_off_is_fetched_again(connect, faulty):
    proxy = faulty(faults.cut_after(1, b'"'))
    assert connect(proxy.port, retries=QUICK).health_check()["status"] == "healthy"
    assert len(proxy.requests) == 2


def test_stream_goes_on_behind_the_last_event_seen(connect, faulty, server):
    job = server.submit(kernels.compare(num_trials=5))
    proxy = faulty(faults.cut_after(2), faults.dropped, faults.cut_after(1))
    events = list(connect(proxy.port, retries=QUICK).stream(job))
    assert [event.sequence for event in events] == [1, 2, 3, 4, 5, 6]
    assert [proxy.header(index, "Last-Event-ID") for index in range(4)] == [None, "2", "2", "3"]


def test_wait_survives_broken_connections(connect, faulty, server):
    job = server.submit(kernels.evaluate(num_trials=5))
    proxy = faulty(faults.cut_after(1), faults.dropped, faults.says(503), faults.cut_after(1))
    assert connect(proxy.port, retries=QUICK).wait(job).accepted


@pytest.mark.parametrize("status", [502, 503, 504])
def test_server_that_is_away_for_a_moment_is_asked_again(connect, faulty, status):
    proxy = faulty(faults.says(status), faults.says(status, Retry_After="0"))
    assert connect(proxy.port, retries=QUICK).health_check()["status"] == "healthy"
    assert len(proxy.requests) == 3


def test_busy_server_is_asked_again_after_the_time_it_names(connect, faulty):
    proxy = faulty(faults.says(429, Retry_After="1"))
    started = time.monotonic()
    connect(proxy.port).submit(REQUEST)
    assert time.monotonic() - started >= 1
    assert len(proxy.requests) == 2


def test_queue_that_stays_full_is_raised_when_patience_ends(connect, faulty):
    body = json.dumps({"error": {"code": "resource_exhausted", "message": "1000 jobs wait"}})
    proxy = faulty(*[faults.says(429, body, Retry_After="1")] * 5)
    with pytest.raises(assay_client.QueueFull, match="1000 jobs wait") as caught:
        connect(proxy.port, retries=Retries(patience=0.5)).submit(REQUEST)
    assert caught.value.retry_after == 1 and caught.value.code == "resource_exhausted"
    assert len(proxy.requests) == 1


def test_retry_after_may_be_a_date(connect, faulty):
    proxy = faulty(faults.says(429, Retry_After="Thu, 01 Jan 1970 00:00:00 GMT"))
    connect(proxy.port).submit(REQUEST)
    assert len(proxy.requests) == 2


def test_real_full_queue_lets_everybody_in_at_last(connect, fresh_server):
    server = fresh_server("--max-queued", "1").start()
    client = connect(server.port, retries=Retries(patience=60))
    requests = [EvaluationRequest(REQUEST.kernel, num_trials=count) for count in range(1, 5)]
    assert [item.job.verdict for item in client.batch(requests)] == ["accepted"] * 4


def test_attempts_end_and_the_reason_is_told(connect, faulty):
    proxy = faulty(*[faults.dropped] * 9)
    with pytest.raises(assay_client.ConnectionFailed, match="attempts: 3") as caught:
        connect(proxy.port, retries=Retries(attempts=3)).health_check()
    assert isinstance(caught.value, ConnectionError)
    assert len(proxy.requests) == 3


def test_nobody_at_the_address_is_a_failed_connection(connect):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(assay_client.ConnectionFailed, match=f"127.0.0.1:{port}"):
        connect(port, retries=assay_client.NO_RETRIES).health_check()


@pytest.mark.parametrize("status, kind", [
    (400, assay_client.InvalidRequest), (413, assay_client.InvalidRequest),
    (404, assay_client.NotFound), (500, assay_client.ServerError)])
def test_refusal_is_not_repeated(connect, faulty, status, kind):
    proxy = faulty(faults.says(status, '{"detail": "so it is"}'))
    with pytest.raises(kind, match="so it is"):
        connect(proxy.port, retries=QUICK).health_check()
    assert len(proxy.requests) == 1


@pytest.mark.parametrize("body, told", [
    ("<html>gateway</html>", "gateway"), ("[1]", r"\[1\]"), ("", "answered 500"),
    ('{"error": "Invalid request format", "validation_errors": '
     '[{"field": "kernel -> io", "message": "missing", "type": "missing"}]}', "kernel -> io: missing")])
def test_any_body_of_an_error_is_readable(connect, faulty, body, told):
    with pytest.raises(assay_client.ServerError, match=told):
        connect(faulty(faults.says(500, body)).port).health_check()


def test_page_instead_of_json_is_an_error_of_the_server(connect, faulty):
    with pytest.raises(assay_client.ServerError, match="no JSON"):
        connect(faulty(faults.says(200, "<html>")).port).health_check()


def test_something_that_is_no_http_is_a_failed_connection(connect, faulty):
    def speaks_otherwise(connection, request, target):
        connection.sendall(b"SSH-2.0-server\r\n")

    with pytest.raises(assay_client.ConnectionFailed, match="no HTTP"):
        connect(faulty(speaks_otherwise).port, retries=assay_client.NO_RETRIES).health_check()


def test_waiting_at_a_silent_server_ends_in_time(connect, faulty):
    proxy = faulty(faults.silent(10))
    started = time.monotonic()
    with pytest.raises(assay_client.WaitTimedOut):
        connect(proxy.port).wait("some job", timeout=0.5)
    assert time.monotonic() - started < 3


def test_too_large_request_is_told_even_if_it_was_not_read_to_its_end(connect, fresh_server):
    server = fresh_server("--max-body", "10kb").start()
    body = kernels.evaluate()
    body["kernel"]["source_code"] += " " * 4_000_000
    with pytest.raises(assay_client.InvalidRequest) as caught:
        connect(server.port).submit(body)
    assert caught.value.status == 413


def test_headers_of_the_caller_are_sent_and_cannot_smuggle(connect, faulty):
    proxy = faulty()
    connect(proxy.port, headers={"Authorization": "Bearer t"}).health_check()
    assert proxy.header(0, "Authorization") == "Bearer t"
    with pytest.raises(ValueError, match="line break"):
        connect(proxy.port, headers={"X": "1\r\nY: 2"}).health_check()
