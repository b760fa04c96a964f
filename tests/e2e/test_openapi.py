"""The OpenAPI document is complete and true: real requests and answers are held against it."""
import json
import os
import pathlib
import re
import signal
import time

import jsonschema
import pytest

from support import kernels, openapi, server as server_module

ADVERSARIAL = server_module.ROOT / "tests" / "adversarial"
ENDLESS = "__global__ void f(const float*, float* y, float, int) { while (true) y[0] += 1; }"
TEXTURE = "__global__ void f(const float*, float* y, float, int) { y[0] = tex1D<float>(t, 0); }"
FORGETS = """__device__ int runs;
__global__ void f(const float*, float* y, float, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) ++runs;
  if (i < n) y[i] = i == 0 ? runs : 0;
}"""


def ask(server, method, target, body=None, **kwargs):
    return openapi.check_answer(method, target, server.request(method, target, body, **kwargs))


def post(server, target, body, **kwargs):
    return ask(server, "POST", target, body, **kwargs)


def refs(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for value in node.values():
            yield from refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from refs(value)


def test_document_is_served_as_it_stands_with_the_servers_version(server):
    assert ask(server, "GET", "/openapi.json").json == openapi.DOCUMENT
    assert openapi.DOCUMENT["info"]["version"] == server.get("/health").json["version"]


def test_document_is_well_formed():
    assert openapi.DOCUMENT["openapi"].startswith("3.1.")
    for target in refs(openapi.DOCUMENT):
        openapi.resolve({"$ref": target})
    for schema in openapi.DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    ids = [operation["operationId"] for _, _, operation in openapi.operations()]
    assert len(ids) == len(set(ids))
    text = json.dumps(openapi.DOCUMENT)
    for kind, entries in openapi.DOCUMENT["components"].items():
        for name in entries:
            assert f'"#/components/{kind}/{name}"' in text, f"{kind}/{name} is used nowhere"
    for _, path, operation in openapi.operations():
        named = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
        assert named == set(re.findall(r"\{(\w+)\}", path))


def test_every_route_is_described_and_every_description_has_its_route(server):
    source = "".join(p.read_text() for p in (server_module.ROOT / "src" / "api").glob("*.cpp"))
    added = re.findall(r'router\.add\((?:http::)?Method::(\w+),\s*"([^"]+)"', source)
    routes = {(method.replace("del", "delete").upper(), path) for method, path in added}
    assert routes == {(method, path) for method, path, _ in openapi.operations()}
    for path in openapi.DOCUMENT["paths"]:
        answer = server.request("PATCH", path.replace("{id}", "x"))
        assert answer.status == 405
        allowed = set(answer.headers["Allow"].split(", ")) - {"HEAD"}
        assert allowed == {method for method, p, _ in openapi.operations() if p == path}
        shape = "Error" if path.startswith("/v1/") else "Detail"
        openapi.check({"$ref": f"#/components/schemas/{shape}"}, answer.json)


def request_examples():
    for method, path, operation in openapi.operations():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        for name, example in content.get("examples", {}).items():
            yield pytest.param(path, content["schema"], example["value"], id=f"{path} {name}")


@pytest.mark.parametrize("path, schema, body", request_examples())
def test_request_examples_are_accepted_and_answered_as_described(server, path, schema, body):
    openapi.check(schema, body)
    answer = post(server, path, body)
    assert answer.status in (200, 202)
    if path == "/v1/jobs":
        job = server.wait(answer.json["id"])
        assert job["verdict"] == "accepted", job["result"]["reason"]
        answers_about(server, job["id"])
    elif "ref_code" not in body:
        assert answer.json["verdict"] == "accepted"


def test_request_schemas_name_every_key_and_no_other(server):
    """An unknown key is put into each object of a request: document and server must agree."""
    tried = set()
    for path, form in (("/evaluate", "EvaluationRequest"), ("/v1/jobs", "JobRequest")):
        request = every_object()
        for where in objects_of(request):
            body = json.loads(json.dumps(request))
            inner = body
            for step in where:
                inner = inner[step]
            inner["surprise"] = 1
            schema = openapi.validator({"$ref": f"#/components/schemas/{form}"})
            answer = post(server, path, body)
            assert schema.is_valid(body) == (answer.status != 400), (path, where, answer.text)
            tried.add((path, answer.status))
    assert tried == {("/evaluate", 200), ("/evaluate", 400), ("/v1/jobs", 202), ("/v1/jobs", 400)}


def every_object():
    """A request with every kind of object that a request can have."""
    data = {"data_b64": "AACAPw==", "shape": [1]}
    io = kernels.scale_io(1)
    io["args"][0]["tensor_spec"] = {"data": data}
    io["args"][1]["tensor_spec"]["init"] = {"kind": "zeros"}
    return {"kernel": kernels.kernel(kernels.SCALE, io, kernel_name="scale"), "num_trials": 1}


def objects_of(value, path=()):
    if isinstance(value, dict):
        yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in steps:
        if isinstance(inner, (dict, list)):
            yield from objects_of(inner, (*path, step))


def test_status_routes_answer_as_described(server):
    server.run(kernels.evaluate(num_trials=1))
    for path in ("/health", "/stats", "/v1/devices", "/metrics", "/docs"):
        assert ask(server, "GET", path).status == 200
    assert post(server, "/admin/cleanup-jobs", {}).status == 200
    assert ask(server, "GET", "/v1/jobs?limit=1").json["next_cursor"]


def broken(change):
    body = kernels.evaluate()
    change(body)
    return body


REFUSED = [
    ("POST", "/compare", {"num_trials": 3}, 400),
    ("POST", "/", {**kernels.compare(), "timeout": 4}, 400),
    ("POST", "/evaluate", {**kernels.evaluate(), "num_trials": "many"}, 400),
    ("POST", "/evaluate", broken(lambda b: b["kernel"].pop("io")), 400),
    ("POST", "/compare", "[]", 422),
    ("POST", "/evaluate", "{", 422),
    ("GET", "/job/none", None, 404),
    ("POST", "/v1/jobs", "[]", 400),
    ("POST", "/v1/jobs", {}, 400),
    ("POST", "/v1/jobs", {**kernels.evaluate(), "rounds": 0, "surprise": 1}, 400),
    ("POST", "/v1/jobs", {**kernels.evaluate(), "device": "cuda:99"}, 400),
    ("POST", "/v1/jobs", {**kernels.evaluate(), "seed": "ff"}, 400),
    ("GET", "/v1/jobs?state=dancing", None, 400),
    ("GET", "/v1/jobs/none", None, 404),
    ("DELETE", "/v1/jobs/none", None, 404),
    ("GET", "/v1/jobs/none/events", None, 404),
    ("GET", "/v1/jobs/none/events?after=x", None, 400),
]


@pytest.mark.parametrize("method, target, body, status", REFUSED)
def test_refusals_have_the_described_shape(server, method, target, body, status):
    assert ask(server, method, target, body).status == status


def test_other_method_has_a_code_of_its_own(server):
    answer = server.request("PUT", "/v1/jobs")
    assert answer.status == 405 and answer.headers["Allow"]
    openapi.check({"$ref": "#/components/schemas/Error"}, answer.json)
    assert answer.json["error"]["code"] == "method_not_allowed"


@pytest.mark.parametrize("seed, status", [
    ("12", 202), ("-7", 202), ("00ff00ff00ff00ff", 202), (12, 202), ("ff", 400), ("", 400)])
def test_seed_is_taken_as_the_schema_says(server, seed, status):
    body = {**kernels.evaluate(num_trials=3), "seed": seed}
    assert server.post("/v1/jobs", body).status == status
    schema = openapi.validator({"$ref": "#/components/schemas/JobRequest"})
    assert schema.is_valid(body) == (status == 202)


@pytest.mark.parametrize("target", ["/compare", "/v1/jobs"])
def test_other_content_types_are_refused_as_described(server, target):
    assert post(server, target, "x", headers={"Content-Type": "text/plain"}).status == 415


def test_repeated_key_answers_as_described(server):
    def send(trials, key="openapi"):
        return post(server, "/v1/jobs", kernels.evaluate(num_trials=trials),
                    headers={"Idempotency-Key": key}).status

    assert [send(1), send(1), send(2), send(1, key="")] == [202, 200, 409, 400]


def answers_about(server, job):
    """Every view of one job that the server can give."""
    for suffix in ("", "?samples=true&request=true"):
        view = ask(server, "GET", f"/v1/jobs/{job}{suffix}").json
    ask(server, "GET", f"/job/{job}")
    events = openapi.check_answer("GET", f"/v1/jobs/{job}/events",
                                  server.get(f"/v1/jobs/{job}/events"))
    told = [json.loads(line[5:]) for line in events.text.splitlines() if line.startswith("data:")]
    for event in told:
        openapi.check({"$ref": "#/components/schemas/JobEvent"}, event)
    assert told[-1]["state"] == view["state"]
    return view


def attack(name):
    return (ADVERSARIAL / f"{name}.cu").read_text()


BY_VERDICT = {
    "timed_out": kernels.evaluate(ENDLESS, timeout=5),
    "accepted": kernels.compare(num_trials=3),
    "did_not_compile": kernels.evaluate("__global__ void f( {"),
    "wrong_answer": kernels.compare(kernels.SCALE.replace("a * x[i]", "a * x[i] + 1")),
    "non_deterministic": kernels.evaluate(FORGETS),
    "crashed": kernels.evaluate(attack("segfault")),
    "tampered": kernels.compare(attack("change_the_input")),
    "reference_failed": kernels.compare(reference="__global__ void f( {"),
    "unsupported": kernels.evaluate(TEXTURE),
}


def test_every_verdict_is_answered_as_described(server):
    jobs = {verdict: server.submit(body) for verdict, body in BY_VERDICT.items()}
    for verdict, job in jobs.items():
        server.wait(job)
        view = answers_about(server, job)
        assert view["verdict"] == verdict, view["result"]["reason"]
        page = ask(server, "GET", f"/v1/jobs?verdict={verdict}&limit=500").json
        assert job in {entry["id"] for entry in page["jobs"]}


@pytest.fixture(scope="module")
def narrow(tmp_path_factory, cache_dir):
    """A server with small limits."""
    running = server_module.Server(
        tmp_path_factory.mktemp("narrow") / "data", cache_dir, "--max-queued", "1", "--max-body",
        "10kb", "--max-wait", "1", "--max-attempts", "1", "--runner-memory", "512mb").start()
    yield running
    running.stop()


def test_kernel_that_eats_memory_is_answered_as_described(narrow):
    job = narrow.run(kernels.evaluate(attack("eat_memory")))
    assert answers_about(narrow, job["id"])["verdict"] == "out_of_memory"


def test_full_queue_long_wait_and_cancelled_work_answer_as_described(narrow):
    endless = kernels.evaluate(ENDLESS, timeout=60)
    blocked = post(narrow, "/evaluate", endless)
    assert blocked.status == 504
    running = blocked.json["job_id"]
    assert ask(narrow, "GET", f"/v1/jobs/{running}").json["state"] not in ("done", "failed")
    statuses = [post(narrow, "/v1/jobs", endless).status for _ in range(6)]
    assert set(statuses) == {202, 429}
    assert post(narrow, "/evaluate", endless).status == 429
    waiting = [job["id"] for job in narrow.get("/v1/jobs").json["jobs"]
               if job["state"] not in ("done", "failed", "cancelled")]
    for job in waiting:
        assert ask(narrow, "DELETE", f"/v1/jobs/{job}").status in (200, 202)
    for job in waiting:
        assert narrow.wait(job)["state"] == "cancelled"
        answers_about(narrow, job)
        assert ask(narrow, "DELETE", f"/v1/jobs/{job}").status == 409


def test_job_whose_worker_dies_is_answered_as_described(narrow):
    """After the test above there are cancelled jobs as well, which share a name with failed ones."""
    job = narrow.submit(kernels.evaluate(ENDLESS, timeout=60))
    while narrow.get(f"/v1/jobs/{job}").json["state"] != "checking":
        time.sleep(0.02)
    for pid in narrow.workers():
        os.kill(pid, signal.SIGKILL)
    assert narrow.wait(job)["state"] == "failed"
    assert answers_about(narrow, job)["error"]["code"] == "unavailable"
    stats = ask(narrow, "GET", "/health").json["job_stats"]
    assert sum(stats["by_status"].values()) == stats["total_jobs"]


@pytest.mark.parametrize("target", ["/compare", "/v1/jobs"])
def test_large_bodies_are_refused_as_described(narrow, target):
    assert post(narrow, target, {"kernel": "x" * 20000}).status == 413


def test_docs_page_needs_nothing_but_the_document(server):
    page = server.get("/docs").text
    assert page == pathlib.Path(openapi.PATH.parent / "docs.html").read_text()
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)
    assert "openapi.json" in page
