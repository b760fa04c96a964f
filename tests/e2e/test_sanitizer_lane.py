"""`sanitize` by compute-sanitizer, with a stand-in for it: what the real one says is tested on GPUs (tests/gpu)."""
import pytest
from support import fake_sanitizer, kernels, python_kernels, stand_in

ALL = ["memory", "race", "init", "sync"]


@pytest.fixture
def served(tmp_path, fresh_server):
    def start(mode):
        (tmp_path / "tool").mkdir()
        program = stand_in.write(fake_sanitizer, tmp_path / "tool" / "compute-sanitizer", mode)
        return fresh_server("--devices", "cpu", "--compute-sanitizer", str(program)).start()
    return start


def result_of(server, words, **options):
    return server.run({**kernels.compare(), "num_trials": 3, "sanitize": words, **options})["result"]


def test_a_clean_kernel_is_accepted_and_the_tool_named(served):
    result = result_of(served("clean"), ALL)
    assert result["verdict"] == "accepted"
    assert result["sanitizers"]["state"] == "checked"
    assert result["sanitizers"]["by"] == "compute-sanitizer"
    assert result["sanitizers"]["seconds"] > 0
    assert "findings" not in result


@pytest.mark.parametrize("word, verdict, kind, line, thread", [
    ("memory", "crashed", "out_of_bounds", 4, [31, 0, 0]),
    ("race", "non_deterministic", "race", 3, [35, 0, 0]),
    ("init", "non_deterministic", "uninitialised_read", 2, [0, 0, 0]),
    ("sync", "crashed", "barrier_divergence", 6, [37, 0, 0]),
])
def test_findings_have_the_form_of_the_cpu_device(served, word, verdict, kind, line, thread):
    result = result_of(served("finds"), [word])
    assert result["verdict"] == verdict
    assert len(result["findings"]) == 1, "three reports of the same line are one finding"
    found = result["findings"][0]
    assert (found["kind"], found["place"]["line"], found["place"]["thread"]) == (kind, line, thread)
    assert f"line {line}" in result["reason"]
    assert "speed" not in result and "candidate_timing" not in result
    assert result["sanitizers"]["state"] == "checked"
    if word == "memory":
        assert found["address"] == "0x7f5c92600fa0"
        assert found["place"]["block"] == [2, 0, 0] and found["place"]["is_write"]
    if word == "race":
        assert found["other"]["line"] == 5 and found["other"]["thread"] == [32, 0, 0]


def test_the_tools_run_until_one_finds_something(served):
    server = served("initcheck")
    assert result_of(server, ALL)["findings"][0]["kind"] == "uninitialised_read"
    assert result_of(server, ["memory", "race"])["verdict"] == "accepted"


@pytest.mark.parametrize("mode, state", [("killed", "failed"), ("hang", "timed_out")])
def test_a_tool_that_fails_costs_no_result(served, mode, state):
    result = result_of(served(mode), ["memory"], timeout=15)
    assert result["verdict"] == "accepted"
    assert result["sanitizers"]["state"] == state, result["sanitizers"]
    assert result["sanitizers"]["reason"] and result["sanitizers"]["advice"]


def test_python_kernels_are_checked_too(served):
    body = {"kernel": python_kernels.code(python_kernels.ADD_ONE, "torch"), "num_trials": 3, "sanitize": ["memory"]}
    server = served("clean")
    result = server.run(body)["result"]
    assert result["verdict"] == "accepted"
    assert result["sanitizers"] == {**result["sanitizers"], "state": "checked", "by": "compute-sanitizer"}


def test_the_compatible_routes_check_and_say_so(served):
    server = served("finds")
    for path, body in (("/compare", kernels.compare()), ("/evaluate", kernels.evaluate())):
        answer = server.post(path, {**body, "num_trials": 3, "sanitize": ["memory"]})
        assert answer.status == 200, answer.text
        assert "out_of_bounds" in answer.text
        metadata = answer.json["kernel_exec_result"]["metadata"]
        assert metadata["sanitizers"]["by"] == "compute-sanitizer"


def test_the_cpu_device_says_that_it_checked(server):
    result = result_of(server, ["memory"])
    assert result["sanitizers"] == {"state": "checked", "by": "the cpu device"}
    for path in ("/compare", "/evaluate"):
        body = kernels.compare() if path == "/compare" else kernels.evaluate()
        answer = server.post(path, {**body, "num_trials": 3, "sanitize": ["memory"]})
        assert answer.json["kernel_exec_result"]["metadata"]["sanitizers"]["by"] == "the cpu device"


def test_a_tool_that_is_not_there_is_named(fresh_server):
    server = fresh_server("--devices", "cpu", "--compute-sanitizer", "/nowhere/compute-sanitizer").start()
    status = result_of(server, ["memory"])["sanitizers"]
    assert status["state"] == "unavailable"
    assert "/nowhere/compute-sanitizer" in status["reason"]
    assert "--compute-sanitizer" in status["advice"]


def test_what_no_device_here_can_check_is_refused_by_name(server):
    body = {"kernel": python_kernels.code(python_kernels.ADD_ONE, "torch"), "sanitize": ["memory"]}
    for path in ("/v1/jobs", "/evaluate"):
        answer = server.post(path, body)
        assert answer.status in (400, 422)
        assert "sanitize" in answer.text and "torch" in answer.text
