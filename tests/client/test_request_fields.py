"""The client's requests have every field that the server's own description has."""
import dataclasses

import pytest

from assay_client import (ArgSpec, CompareRequest, DeviceMetrics, EvaluationRequest, IOContract, KernelCode,
                          LaunchConfig, LaunchDim, TensorData, TensorInit, TensorSpec, Timing, Workload,
                          load_from_file, save_to_file)
from support import kernels

OTHER_NAMES = {"candidate", "reference"}  # of the kernels
HOW_TO_COMPARE = {"strict", "allow", "workloads", "judge_speed"}  # nothing without a reference


@pytest.fixture(scope="module")
def schemas(server):
    return server.get("/openapi.json").json["components"]["schemas"]


def fields(kind):
    return {field.name for field in dataclasses.fields(kind)}


def test_requests_have_every_field_of_a_job(schemas):
    described = set(schemas["JobRequest"]["properties"]) - OTHER_NAMES
    assert fields(CompareRequest) == described - {"kernel"}
    assert fields(EvaluationRequest) == described - {"ref_kernel", "custom_kernel"} - HOW_TO_COMPARE


@pytest.mark.parametrize("kind, name", [
    (KernelCode, "KernelCode"), (IOContract, "IOContract"), (ArgSpec, "ArgSpec"), (TensorSpec, "TensorSpec"),
    (TensorInit, "TensorInit"), (TensorData, "TensorData"), (LaunchConfig, "LaunchConfig"), (LaunchDim, "GridDim")])
def test_parts_of_a_kernel_have_every_field_too(schemas, kind, name):
    assert fields(kind) == set(schemas[name]["properties"])


def test_parts_of_a_request_have_every_field_too(schemas):
    job = schemas["JobRequest"]["properties"]
    assert fields(Workload) == set(job["workloads"]["items"]["properties"])
    assert fields(Timing) == set(job["timing"]["properties"])
    chosen = next(form for form in schemas["DeviceMetricsRequest"]["anyOf"] if form.get("type") == "object")
    assert fields(DeviceMetrics) == set(chosen["properties"])


def everything():
    body = kernels.compare()
    return CompareRequest(
        body["ref_kernel"], body["custom_kernel"], num_trials="auto", timeout=60, atol=1e-5, rtol=1e-5, rounds=2,
        warmup=1, seed="00000000000000aa", priority=1, device="cpu", strict=True, allow=["tf32"],
        require=["own_kernels"], schedule_seed=3, sanitize=["memory"], timing=Timing("warm", 0.05), judge_speed=True,
        workloads=[Workload("small", {"x": [500], "y": [500], "n": 500}, launch=LaunchConfig([2], [256]))],
        device_metrics=DeviceMetrics(sets=["basic"], runs=2, kernels={"name": "scale"}), explain=False, name="all of it")


def test_server_takes_every_field(client):
    request = everything()
    unset = {name for name in fields(CompareRequest) if getattr(request, name) is None}
    assert unset == {"artifacts"}, "artifacts are made on GPUs alone"
    job = client.wait(client.submit(request))
    assert job.verdict == "accepted", job.reason
    assert job.raw["name"] == "all of it"
    assert job.result["provenance"]["seed"] == "00000000000000aa"
    assert job.result["sanitizers"]["state"] == "checked"
    assert job.speed_verdict != "not_judged"


def test_strict_comparison_refuses_what_a_weak_check_would_let_through(client):
    body = kernels.compare()
    loose = {"atol": 100.0, "rtol": 1.0}
    assert client.compare(body["ref_kernel"], body["custom_kernel"], 1, **loose)["verdict"] == "accepted"
    strict = client.compare(body["ref_kernel"], body["custom_kernel"], 1, strict=True, **loose)
    assert strict["verdict"] == "weak_check"


def test_candidate_that_is_right_at_one_size_alone_fails_at_another(client):
    source = kernels.SCALE.replace("i < n", "i < 1000")
    wrong = kernels.kernel(source.replace("a * x[i]", "(n == 1000 ? a : 1.0f) * x[i]"), kernels.scale_io())
    reference = kernels.kernel(kernels.SCALE, kernels.scale_io())
    assert client.compare(reference, wrong, 1)["verdict"] == "accepted"
    other = Workload("small", {"x": [500], "y": [500], "n": 500})
    assert client.compare(reference, wrong, 1, workloads=[other])["verdict"] != "accepted"


def test_request_comes_back_from_its_file_as_it_was(tmp_path):
    given = CompareRequest.from_dict(everything().to_dict())
    save_to_file(given, tmp_path / "request.json")
    loaded = load_from_file(tmp_path / "request.json", "CompareRequest")
    assert loaded == given
    assert isinstance(loaded.ref_kernel, KernelCode) and loaded.timing == Timing("warm", 0.05)
    assert loaded.workloads[0].args == {"x": [500], "y": [500], "n": 500}
    assert loaded.workloads[0].launch == LaunchConfig([2], [256])
    assert loaded.device_metrics == DeviceMetrics(sets=["basic"], runs=2, kernels={"name": "scale"})
    save_to_file(EvaluationRequest(kernels.evaluate()["kernel"], device_metrics=True), tmp_path / "request.json")
    assert load_from_file(tmp_path / "request.json", "EvaluationRequest").device_metrics is True
