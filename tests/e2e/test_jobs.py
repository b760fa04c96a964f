"""The versioned API: jobs, events, limits."""
import http.client
import itertools
import json
import re
import threading
import time

import pytest

from support import kernels

ENDLESS = "__global__ void f(const float*, float* y, float, int) { while (true) y[0] += 1; }"


def endless(**options):
    return kernels.evaluate(ENDLESS, timeout=60, **options)


def test_job_is_accepted_at_once_and_reaches_its_verdict(server):
    started = time.monotonic()
    answer = server.post("/v1/jobs", kernels.compare(num_trials=20))
    assert answer.status == 202
    assert time.monotonic() - started < 2
    assert answer.headers["Location"] == f"/v1/jobs/{answer.json['id']}"
    job = server.wait(answer.json["id"])
    assert job["verdict"] == "accepted"
    assert [phase["state"] for phase in job["phases"]] == [
        "queued", "building", "waiting", "checking", "timing"]
    result = job["result"]
    assert result["check"]["rounds_passed"] == result["check"]["rounds_total"] == 3
    assert result["candidate_timing"]["sample_count"] == 20
    assert "samples_ns" not in result["candidate_timing"]
    low, high = result["candidate_timing"]["statistics_ns"]["median_ci95"]
    assert low <= result["candidate_timing"]["statistics_ns"]["median"] <= high
    assert result["speed"]["verdict"] == "not_judged" and result["speed"]["speedup"] > 0
    assert job["speedup"] == result["speed"]["speedup"]
    provenance = result["provenance"]
    assert provenance["device"] == "cpu"
    assert "simt" in provenance["candidate_compiler"]
    assert int(provenance["seed"], 16) >= 0


def test_speed_on_the_cpu_device_is_judged_when_asked_for(server):
    result = server.run(kernels.compare(num_trials=20, judge_speed=True))["result"]
    assert result["speed"]["verdict"] in ("faster", "slower", "same", "undecided")


def test_list_says_what_each_job_is(server):
    job = server.run(kernels.compare(num_trials=3, name="my kernel"))
    page = server.get(f"/v1/jobs?id={job['id'][:12]}").json["jobs"]
    assert [(one["id"], one["name"], one["kernel_type"]) for one in page] == [
        (job["id"], "my kernel", "cuda")]
    assert page[0]["speedup"] > 0
    unnamed = server.run(kernels.evaluate(num_trials=1))
    assert unnamed["name"] == "scale" and "speedup" not in unnamed


def test_several_kernels_without_a_name_are_asked_about(server):
    both = kernels.SCALE + kernels.SCALE.replace("void scale", "void other")
    job = server.run(kernels.evaluate(both))
    assert job["verdict"] == "did_not_compile"
    assert "several kernels (scale, other)" in job["result"]["reason"]
    # The compatible routes take the first, as the server did whose names they keep.
    assert server.post("/evaluate", kernels.evaluate(both, num_trials=1)).json["verdict"] == "accepted"


def test_mistakes_in_json_have_a_line_and_a_column(server):
    answer = server.post("/v1/jobs", '{\n  "kernel": {},\n}')
    assert answer.status == 400
    assert "line 3, column 1" in answer.json["error"]["message"]


def test_too_few_runs_give_no_interval_and_no_verdict_on_speed(server):
    result = server.run(kernels.compare(num_trials=5, judge_speed=True))["result"]
    assert result["speed"]["speedup"] > 0
    assert result["speed"]["verdict"] == "undecided"
    assert "ci95" not in result["speed"]
    assert "median_ci95" not in result["candidate_timing"]["statistics_ns"]
    answer = server.post("/compare", kernels.compare(num_trials=1)).json
    assert answer["speed_verdict"] == "not_judged" and "speedup_ci95" not in answer


def test_samples_and_request_come_when_asked_for(server):
    body = kernels.evaluate(num_trials=7)
    job = server.submit(body)
    server.wait(job)
    view = server.get(f"/v1/jobs/{job}?samples=true&request=true").json
    assert len(view["result"]["candidate_timing"]["samples_ns"]) == 7
    assert view["request"] == body


def test_what_the_compiler_said_of_a_source_it_accepted_is_told(server):
    warned = kernels.SCALE.replace("__global__", '#warning "this is slow"\n__global__', 1)
    for _ in range(2):  # the second time from the cache
        provenance = server.run(kernels.compare(candidate=warned))["result"]["provenance"]
        assert "this is slow" in provenance["candidate_build_log"]
        assert "reference_build_log" not in provenance


def test_artifacts_of_code_for_a_gpu_are_absent_on_the_cpu_with_the_reason(server):
    job = server.run(kernels.compare(num_trials=5, artifacts=["ptx"]))
    assert job["verdict"] == "accepted"
    assert job["result"]["artifacts"] == [
        {"name": "reference.ptx", "absent": "only code for a GPU has it"},
        {"name": "candidate.ptx", "absent": "only code for a GPU has it"}]
    answer = server.get(f"/v1/jobs/{job['id']}/artifacts/candidate.ptx")
    assert answer.status == 404 and "candidate.ptx" in answer.json["error"]["message"]


def test_same_seed_gives_the_same_inputs(server):
    source = """__global__ void f(const float* x, float* y, float, int n) {
      if (threadIdx.x == 0 && blockIdx.x == 0) y[0] = x[0]; }"""
    wrong = source.replace("x[0];", "x[0] + 1;")

    def result(seed):
        body = {**kernels.compare(wrong, source), "seed": seed, "num_trials": 1}
        return server.run(body)["result"]

    def want(seed):
        return result(seed)["details"]["first_mismatch"]["want"]

    assert want(5) == want(5) != want(6)
    drawn = result(None)
    assert want(drawn["provenance"]["seed"]) == drawn["details"]["first_mismatch"]["want"]


def test_idempotency_key_returns_the_same_job_and_refuses_another_body(server):
    headers = {"Idempotency-Key": "key-1"}
    first = server.post("/v1/jobs", kernels.evaluate(num_trials=5), headers=headers)
    again = server.post("/v1/jobs", kernels.evaluate(num_trials=5), headers=headers)
    other = server.post("/v1/jobs", kernels.evaluate(num_trials=6), headers=headers)
    assert (first.status, again.status, other.status) == (202, 200, 409)
    assert first.json["id"] == again.json["id"]
    assert other.json["error"]["code"] == "conflict"


def test_list_filters_and_pages_without_repeats(server):
    ids = {server.submit(kernels.evaluate(num_trials=1, priority=0)) for _ in range(5)}
    for job in ids:
        server.wait(job)
    seen, cursor = [], ""
    while True:
        page = server.get(f"/v1/jobs?limit=2&state=done&verdict=accepted{cursor}").json
        seen += [job["id"] for job in page["jobs"]]
        if "next_cursor" not in page:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(seen) == len(set(seen))
    assert ids <= set(seen)
    assert server.get("/v1/jobs?state=queued&created_before=1970-01-02T00:00:00Z").json == {"jobs": []}


@pytest.mark.parametrize("query, named, words", [
    ("state=finished", "state", "'finished' is not a state of a job: queued, building, "), ("limit=0", "limit", "1 to 500"),
    ("cursor=x", "cursor", "that this server gave"), ("lmit=1", "lmit", "there is no parameter 'lmit': did you mean limit?"),
    ("verdict=fine", "verdict", "accepted, did_not_compile, "), ("created_after=noon", "created_after", "not a time")])
def test_wrong_query_is_refused_by_name(server, query, named, words):
    answer = server.get(f"/v1/jobs?{query}")
    assert answer.status == 400
    assert answer.json["error"]["message"].startswith(f"{named}: ") and words in answer.json["error"]["message"]
    assert [field["path"] for field in answer.json["error"]["fields"]] == [named]


def test_wrong_device_key_and_event_are_refused_by_name(server):
    def refused(method, target, body=None, **headers):
        answer = server.request(method, target, body, headers)
        assert answer.status == 400 and answer.json["error"]["code"] == "invalid_argument"
        return [field["path"] for field in answer.json["error"]["fields"]]

    assert refused("POST", "/v1/jobs", {**kernels.evaluate(), "device": "nope"}) == ["device"]
    key = {"Idempotency-Key": "k" * 201}
    assert refused("POST", "/v1/jobs", kernels.evaluate(), **key) == ["Idempotency-Key"]
    assert refused("GET", "/v1/jobs/none/events?after=x") == ["after"]
    assert refused("GET", "/v1/jobs/none/events", **{"Last-Event-ID": "x"}) == ["Last-Event-ID"]


def test_every_wrong_field_is_reported_with_its_path(server):
    body = kernels.evaluate(num_trials=5)
    body["kernel"]["io"]["args"][0]["tensor_spec"]["dtype"] = "float33"
    body["surprise"] = 1
    answer = server.post("/v1/jobs", body)
    assert answer.status == 400
    paths = {field["path"] for field in answer.json["error"]["fields"]}
    assert paths == {"kernel.io.args[0].tensor_spec.dtype", "surprise"}


def test_unknown_job_is_not_found_everywhere(server):
    for method, path in [("GET", ""), ("DELETE", ""), ("GET", "/events")]:
        answer = server.request(method, f"/v1/jobs/none{path}")
        assert answer.status == 404
        assert answer.json["error"]["code"] == "not_found"


def read_events(server, job, last_id=None, stop_after=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"Last-Event-ID": str(last_id)} if last_id is not None else {}
    connection.request("GET", f"/v1/jobs/{job}/events", headers=headers)
    response = connection.getresponse()
    assert response.status == 200
    assert response.headers["Content-Type"].startswith("text/event-stream")
    events, current = [], {}
    for raw in response:
        line = raw.decode().rstrip("\n")
        if not line and current:
            events.append(current)
            current = {}
            if stop_after and len(events) == stop_after:
                break
        elif ":" in line and not line.startswith(":"):
            key, value = line.split(":", 1)
            current[key] = value.lstrip()
    connection.close()
    return events


def test_events_tell_every_state_and_resume_without_holes(server):
    job = server.submit(kernels.compare(num_trials=5))
    events = read_events(server, job)
    assert [int(e["id"]) for e in events] == list(range(1, len(events) + 1))
    states = [state for state, _ in itertools.groupby(json.loads(e["data"])["state"] for e in events)]
    assert states == ["queued", "building", "waiting", "checking", "timing", "done"]
    assert [e["id"] for e in read_events(server, job, last_id=3)] == [e["id"] for e in events[3:]]
    assert read_events(server, job, last_id=len(events)) == []


def test_long_evaluation_says_how_far_it_is(server):
    slow = kernels.SCALE.replace("if (i < n)", "for (volatile int k = 0; k < 80000; ++k) {}\n  if (i < n)")
    assert slow != kernels.SCALE
    job = server.submit(kernels.evaluate(slow, num_trials=100, timeout=60))
    details = [json.loads(event["data"]).get("detail", "") for event in read_events(server, job)]
    assert any(re.fullmatch(r"batch \d+|round \d of \d(, the candidate)?", detail) for detail in details), details


def test_events_after_one_that_was_never_sent_are_those_still_to_come(fresh_server):
    server = fresh_server().start()
    job = server.submit(kernels.evaluate(ENDLESS, timeout=30))
    while server.get(f"/v1/jobs/{job}").json["state"] != "checking":
        time.sleep(0.02)
    seen = []
    watcher = threading.Thread(target=lambda: seen.extend(read_events(server, job, last_id=999)))
    watcher.start()
    time.sleep(0.2)
    assert server.request("DELETE", f"/v1/jobs/{job}").status == 202
    watcher.join(timeout=30)
    assert [json.loads(event["data"])["state"] for event in seen] == ["cancelled"]


def test_running_job_is_cancelled_and_its_runner_dies(fresh_server):
    server = fresh_server().start()
    job = server.submit(endless())
    wait_for_state(server, job, "checking")
    started = time.monotonic()
    assert server.request("DELETE", f"/v1/jobs/{job}").status in (200, 202)
    assert server.wait(job)["state"] == "cancelled"
    assert time.monotonic() - started < 5
    assert server.run(kernels.evaluate(num_trials=5))["verdict"] == "accepted"
    assert server.request("DELETE", f"/v1/jobs/{job}").status == 409


def test_queued_job_is_cancelled_at_once(fresh_server):
    server = fresh_server().start()
    blocker = server.submit(endless())
    wait_for_state(server, blocker, "checking")
    jobs = [server.submit(endless(num_trials=2 + i)) for i in range(4)]
    assert server.request("DELETE", f"/v1/jobs/{jobs[-1]}").json["state"] == "cancelled"
    assert server.get(f"/v1/jobs/{jobs[-1]}").json["state"] == "cancelled"
    for job in [*jobs[:-1], blocker]:
        server.request("DELETE", f"/v1/jobs/{job}")


def test_full_queue_is_told_to_come_back(fresh_server):
    server = fresh_server("--max-queued", "2").start()
    blocker = server.submit(endless())
    wait_for_state(server, blocker, "checking")
    answers = [server.post("/v1/jobs", endless(num_trials=2 + i)) for i in range(8)]
    refused = [a for a in answers if a.status == 429]
    assert refused and all(int(a.headers["Retry-After"]) >= 1 for a in refused)
    assert refused[0].json["error"]["code"] == "resource_exhausted"
    assert {a.status for a in answers} == {202, 429}


def test_higher_priority_goes_first(fresh_server):
    server = fresh_server().start()
    blocker = server.submit(endless())
    wait_for_state(server, blocker, "checking")
    filler = [server.submit(kernels.evaluate(num_trials=1, priority=-50)) for _ in range(3)]
    urgent = server.submit(kernels.evaluate(num_trials=2, priority=50))
    server.request("DELETE", f"/v1/jobs/{blocker}")
    finished = {job: server.wait(job)["finished"] for job in [*filler, urgent]}
    assert finished[urgent] <= finished[filler[-1]]


def test_too_large_body_and_wrong_content_type_are_refused(fresh_server):
    server = fresh_server("--max-body", "10kb").start()
    body = kernels.evaluate()
    body["kernel"]["source_code"] += " " * 20000
    assert server.post("/v1/jobs", body).status == 413
    answer = server.post("/v1/jobs", "x", headers={"Content-Type": "text/plain"})
    assert answer.status == 415
    assert "application/json" in answer.json["error"]["message"]


def test_silent_client_holds_up_nobody(server):
    silent = [http.client.HTTPConnection("127.0.0.1", server.port) for _ in range(50)]
    for connection in silent:
        connection.connect()
        connection.sock.send(b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n")
    started = time.monotonic()
    assert server.get("/health").status == 200
    assert time.monotonic() - started < 2
    for connection in silent:
        connection.close()


def test_keep_alive_serves_many_requests(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    for _ in range(20):
        connection.request("GET", "/health")
        response = connection.getresponse()
        assert response.status == 200
        response.read()
    connection.close()


def test_sigterm_lets_work_finish_and_exits_cleanly(fresh_server):
    server = fresh_server("--drain", "60").start()  # the first job may wait for its toolchain
    answers = []
    client = threading.Thread(
        target=lambda: answers.append(server.post("/compare", kernels.compare(num_trials=10))))
    client.start()
    while not server.get("/v1/jobs").json["jobs"]:
        time.sleep(0.02)
    assert server.stop(limit=80) == 0
    client.join()
    assert answers[0].status == 200 and answers[0].json["status"] == "success"


def test_sigterm_answers_who_waits_for_longer_and_the_job_goes_on_afterwards(fresh_server):
    server = fresh_server().start()
    answers = []
    clients = [threading.Thread(target=lambda: answers.append(server.post("/evaluate", endless())))
               for _ in range(3)]  # one more than are worked on at once
    for client in clients:
        client.start()
    while len(server.get("/v1/jobs").json["jobs"]) < len(clients):
        time.sleep(0.02)
    assert server.stop() == 0
    for client in clients:
        client.join()
    assert [answer.status for answer in answers] == [503] * len(clients)
    assert len({answer.json["job_id"] for answer in answers}) == len(clients)
    for answer in answers:
        assert answer.json["error"] == ("The server is stopping; the job goes on when it starts "
                                        f"again: ask GET /job/{answer.json['job_id']}")
    server.start()
    states = {"queued"}
    while "checking" not in states:
        states = {server.get(f"/v1/jobs/{answer.json['job_id']}").json["state"]
                  for answer in answers}
        assert not states & {"done", "failed", "cancelled"}


def test_devices_and_metrics_show_what_happened(server):
    server.run(kernels.evaluate(num_trials=3))
    device = server.get("/v1/devices").json["devices"][0]
    assert device["id"] == "cpu" and device["kind"] == "cpu" and device["leases"] >= 1
    metrics = server.get("/metrics")
    assert metrics.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    samples = dict(line.rsplit(" ", 1) for line in metrics.text.splitlines()
                   if not line.startswith("#"))
    assert float(samples['assay_verdicts_total{verdict="accepted"}']) >= 1
    assert float(samples['assay_phase_seconds_count{state="checking"}']) >= 1
    assert float(samples['assay_device_leases_total{device="cpu"}']) >= 1


def wait_for_state(server, job, state, limit=60):
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        if server.get(f"/v1/jobs/{job}").json["state"] == state:
            return
        time.sleep(0.02)
    raise AssertionError(f"job {job} never was {state}")
