"""The compatible API over a real socket: shapes, bounds, and the defects it must not have."""
import sys
import uuid

import pytest

from support import kernels


def test_health_has_the_documented_shape(server):
    body = server.get("/health").json
    assert body["status"] == "healthy"
    assert set(body["job_stats"]) == {"total_jobs", "by_status", "average_age"}
    assert body["gpu_manager"]["available_gpus"] in (0, 1)


@pytest.mark.parametrize("path", ["/", "/compare"])
def test_compare_of_a_right_kernel_succeeds_with_times_and_speedup(server, path):
    answer = server.post(path, kernels.compare(num_trials=20))
    assert answer.status == 200
    body = answer.json
    assert body["status"] == "success"
    result = body["kernel_exec_result"]
    assert result["compiled"] is True and result["correctness"] is True
    stats = result["runtime_stats"]
    assert set(stats) == {"mean", "std", "min", "max", "median", "percentile_95", "percentile_99"}
    assert 0 < stats["min"] <= stats["median"] <= stats["percentile_99"] <= stats["max"]
    assert result["runtime"] == stats["mean"]
    assert body["ref_runtime"]["mean"] > 0
    # Of pairs of batches, not of the two medians; on a busy machine they differ.
    reference = body["ref_runtime"]
    assert reference["min"] / stats["max"] <= body["speedup"] <= reference["max"] / stats["min"]
    assert "compilation_error" not in result and "validation_error" not in result
    assert answer.headers["Cache-Control"] == "no-cache, no-store, must-revalidate"
    assert answer.headers["Pragma"] == "no-cache"
    assert answer.headers["Expires"] == "0"


def test_evaluate_runs_and_times_one_kernel(server):
    body = server.post("/evaluate", kernels.evaluate(num_trials=10)).json
    assert body["kernel_exec_result"]["correctness"] is True
    assert body["kernel_exec_result"]["metadata"]["num_trials"] == 10
    assert "ref_runtime" not in body


def test_which_of_several_kernels_was_taken_is_told(server):
    two = kernels.SCALE + kernels.SCALE.replace("scale", "other")
    body = server.post("/evaluate", kernels.evaluate(two, num_trials=2)).json
    chosen = [warning["message"] for warning in body["warnings"] if warning["code"] == "kernel_chosen"]
    assert len(chosen) == 1 and "'scale' was launched, not other" in chosen[0]
    assert "warnings" not in server.post("/evaluate", kernels.evaluate(num_trials=2)).json


def test_wrong_kernel_names_the_first_wrong_element(server):
    wrong = kernels.SCALE.replace("a * x[i]", "a * x[i] + (i == 77 ? 1.0f : 0.0f)")
    result = server.post("/compare", kernels.compare(wrong)).json["kernel_exec_result"]
    assert result["compiled"] is True and result["correctness"] is False
    assert "y[77]" in result["validation_error"]
    assert "1 of 1000" in result["validation_error"]
    assert result["runtime"] == 0.0


def test_source_that_does_not_compile_has_the_compilers_words_and_line(server):
    broken = kernels.SCALE.replace("a * x[i]", "a * undeclared[i]")
    result = server.post("/compare", kernels.compare(broken)).json["kernel_exec_result"]
    assert result["compiled"] is False
    assert "kernel.cu:4" in result["compilation_error"]
    assert "undeclared" in result["compilation_error"]


def test_failing_reference_is_said_to_be_the_reference(server):
    body = server.post("/compare", kernels.compare(reference="__global__ void f( {")).json
    assert body["verdict"] == "reference_failed"
    assert "reference" in body["kernel_exec_result"]["validation_error"]


def test_legacy_form_is_taken_and_answered_with_a_reason(server):
    body = server.post("/", {"ref_code": "x = 1", "custom_code": "y = 2"}).json
    assert body["verdict"] in ("unsupported", "reference_failed")
    assert body["reason"]


def test_timeout_kills_the_work_and_says_so(fresh_server):
    # Without torch: the processes of Python runners come and go while others are counted.
    server = fresh_server("--python", sys.executable).start()
    server.post("/evaluate", kernels.evaluate(num_trials=5))
    endless = "__global__ void f(const float*, float* y, float, int) { while (true) y[0] += 1; }"
    before = server.children()
    answer = server.post("/compare", kernels.compare(endless, timeout=5))
    assert answer.status == 500
    assert answer.json["status"] == "error"
    assert answer.json["error"].startswith("Job timed out after 5 seconds")
    shown = server.get(f"/job/{answer.json['job_id']}").json
    assert shown["status"] == "failed" and shown["error"] == answer.json["error"]
    assert server.post("/evaluate", kernels.evaluate(num_trials=5)).status == 200
    assert len(server.children()) <= len(before) + 4  # fresh spares may have joined


@pytest.mark.parametrize("change, field, kind", [
    ({"num_trials": "many"}, "num_trials", "int_parsing"),
    ({"num_trials": 10.5}, "num_trials", "int_from_float"),
    ({"ref_kernel": None}, "ref_kernel", "model_type"),
])
def test_fields_of_the_wrong_type_are_named(server, change, field, kind):
    answer = server.post("/compare", {**kernels.compare(), **change})
    assert answer.status == 400
    body = answer.json
    assert body["error"] == "Invalid request format" and body["status"] == "client_error"
    assert {"field": field, "type": kind}.items() <= body["validation_errors"][0].items()


def test_unknown_keys_are_refused_in_kernel_code_only(server):
    body = kernels.compare()
    body["custom_kernel"]["colour"] = "red"
    answer = server.post("/compare", body)
    assert answer.status == 400
    assert answer.json["validation_errors"][0]["field"] == "custom_kernel -> colour"
    assert answer.json["validation_errors"][0]["type"] == "extra_forbidden"
    assert server.post("/evaluate", {**kernels.evaluate(num_trials=5), "index": 3}).status == 200


@pytest.mark.parametrize("change, detail", [
    ({"num_trials": 0}, {"num_trials": 0}),
    ({"num_trials": 10001}, {"num_trials": 10001}),
    ({"timeout": 4}, {"timeout": 4}),
    ({"timeout": 601}, {"timeout": 601}),
])
def test_bounds_are_refused_with_the_offending_value(server, change, detail):
    answer = server.post("/compare", {**kernels.compare(), **change})
    assert answer.status == 400
    assert answer.json["details"] == detail
    assert answer.json["status"] == "client_error"


def test_bare_triton_kernel_without_contract_is_refused(server):
    code = {"source_code": "@triton.jit\ndef f(): pass", "kernel_type": "triton"}
    answer = server.post("/evaluate", {"kernel": code})
    assert answer.status == 400
    assert "io_contract" in answer.json["error"]
    assert answer.json["details"] == {"kernel_type": "triton"}
    answer = server.post("/compare", {"ref_kernel": code, "custom_kernel": code})
    assert answer.json["details"] == {"kernel_type": "triton", "kernel": "ref_kernel"}


@pytest.mark.parametrize("body", [b"not json", b"[1, 2]", b""])
def test_body_that_is_no_object_is_unprocessable(server, body):
    answer = server.post("/compare", body)
    assert answer.status == 422
    assert isinstance(answer.json["detail"], list)


def test_unknown_routes_and_methods_answer_as_the_framework_did(server):
    assert server.get("/nothing").status == 404
    assert server.get("/nothing").json == {"detail": "Not Found"}
    assert server.get("/compare").status == 405


def test_job_shows_the_result_when_finished(server):
    job = server.post("/evaluate", kernels.evaluate(num_trials=5)).json["job_id"]
    body = server.get(f"/job/{job}").json
    assert body["status"] == "completed" and body["error"] is None
    assert body["created_at"] > 1.7e9
    assert body["result"]["kernel_exec_result"]["correctness"] is True


def test_unknown_job_is_not_found(server):
    answer = server.get("/job/nope")
    assert answer.status == 404
    assert answer.json == {"error": "Job nope not found", "status": "error"}


def test_stats_are_real(server):
    source = kernels.SCALE + f"// {uuid.uuid4()}\n"  # not built before
    server.post("/evaluate", kernels.evaluate(source, num_trials=5))
    body = server.get("/stats").json
    assert set(body) == {"job_stats", "compilation_metrics", "profiling_metrics", "gpu_utilization",
                         "throughput", "timestamp"}
    builds = body["compilation_metrics"]
    assert set(builds) == {
        "total_compilations", "successful_compilations", "failed_compilations", "cache_hits",
        "cache_misses", "average_time_seconds", "min_time_seconds", "max_time_seconds",
        "total_time_seconds", "success_rate", "cache_hit_rate"}
    assert builds["total_compilations"] >= 1
    assert 0 < builds["min_time_seconds"] <= builds["average_time_seconds"] <= builds["max_time_seconds"]
    assert body["profiling_metrics"]["total_profilings"] >= 1
    assert body["gpu_utilization"]["gpu_acquisitions"] >= 1
    assert body["throughput"]["completed_requests"] >= 1


def test_cleanup_drops_only_old_jobs(server):
    job = server.post("/evaluate", kernels.evaluate(num_trials=5)).json["job_id"]
    assert server.post("/admin/cleanup-jobs", {}).json["status"] == "cleanup_completed"
    assert server.get(f"/job/{job}").status == 200
