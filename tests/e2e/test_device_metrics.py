"""Counters that a request asks for, with a stand-in for Nsight Compute: what a real one says is
tested on GPUs (tests/gpu)."""
import json
import subprocess
import time
import urllib.request

import pytest
from support import fake_ncu, kernels, python_kernels, stand_in
from support.server import BINARY

GROUPS = {"speed_of_light", "memory_metrics", "roofline_metrics", "timing_metrics"}


@pytest.fixture
def served(tmp_path, fresh_server):
    def start(mode, *flags):
        (tmp_path / "tool").mkdir()
        ncu = stand_in.write(fake_ncu, tmp_path / "tool" / "ncu", mode)
        return fresh_server("--devices", "cpu", "--ncu", str(ncu), *flags).start()
    return start


def result_of(server, **options):
    job = server.run({**kernels.compare(), "num_trials": 3, "device_metrics": True, **options})
    assert job["result"]["verdict"] == "accepted"
    return job


def test_both_kernels_are_profiled_after_they_were_timed(served):
    server = served("right")
    job = result_of(server)
    result = job["result"]
    assert result["device_metrics_status"]["state"] == "collected"
    assert result["device_metrics_status"]["profiler"] == "2025.3.1"
    states = [phase["state"] for phase in job["phases"]]
    assert states.index("timing") < states.index("profiling")
    for side in ("original", "custom"):
        call = result["device_metrics"][f"{side}_device_metrics"]
        assert GROUPS <= set(call)
        assert call["speed_of_light"]["compute_throughput_pct"] == 10
        assert call["memory_metrics"]["dram_total_bandwidth_gb_s"] == 4000
        assert call["launches"][0]["kernel"] == "copy_kernel"
        assert call["findings"][0]["text"].startswith("memory-bound: 92 % of DRAM bandwidth")
    changes = result["device_metrics"]["changes"]["timing_metrics"]["gpu_time_duration_sum"]
    assert changes == {"original": 50000, "custom": 50000}


def test_the_report_is_kept_as_an_artifact(served):
    server = served("right")
    job = result_of(server)
    kept = {artifact["name"]: artifact for artifact in job["result"]["artifacts"]}
    assert set(kept) == {"reference.ncu-rep", "candidate.ncu-rep"}
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/v1/jobs/{job['id']}"
                                "/artifacts/candidate.ncu-rep") as answer:
        body = answer.read()
        assert answer.headers["Content-Type"] == "application/octet-stream"
    assert len(body) == kept["candidate.ncu-rep"]["bytes"]
    assert body.startswith(b"NVR\0")
    assert not list((server.data_dir / "metrics").iterdir()), "nothing is left beside the store"


def test_the_compatible_answer_has_them_in_its_metadata(served):
    server = served("right")
    answer = server.post("/compare", {**kernels.compare(), "num_trials": 3, "device_metrics": True})
    metadata = answer.json["kernel_exec_result"]["metadata"]
    assert metadata["device_metrics_status"]["state"] == "collected"
    assert GROUPS <= set(metadata["device_metrics"]["custom_device_metrics"])
    assert GROUPS <= set(metadata["device_metrics"]["original_device_metrics"])
    plain = server.post("/compare", {**kernels.compare(), "num_trials": 3})
    assert "device_metrics" not in plain.json["kernel_exec_result"]["metadata"]


def test_python_kernels_run_under_the_profiler_in_a_python_of_their_own(served):
    server = served("right")
    body = python_kernels.compare(python_kernels.code(python_kernels.ADD_ONE.replace("ModelNew", "Model"), "torch"),
                                  python_kernels.code(python_kernels.ADD_ONE, "torch"))
    job = server.run({**body, "device_metrics": True})
    assert job["result"]["verdict"] == "accepted"
    assert job["result"]["device_metrics_status"]["state"] == "collected", job["result"][
        "device_metrics_status"]
    assert "custom_device_metrics" in job["result"]["device_metrics"]


def test_the_server_can_collect_them_for_all_who_do_not_say(served):
    server = served("right", "--device-metrics")
    job = server.run({**kernels.compare(), "num_trials": 3})
    assert job["result"]["device_metrics_status"]["state"] == "collected"
    job = server.run({**kernels.compare(), "num_trials": 3, "device_metrics": False})
    assert "device_metrics_status" not in job["result"]


@pytest.mark.parametrize("mode, state, words", [
    ("forbidden", "forbidden", "NVreg_RestrictProfilingToAdminUsers=0"),
    ("killed", "failed", ""),
    ("cut", "failed", ""),
    ("no_kernel", "failed", "launches work on the GPU"),
])
def test_a_profiler_that_fails_costs_no_result(served, mode, state, words):
    result = result_of(served(mode))["result"]
    status = result["device_metrics_status"]
    assert status["state"] == state, status
    assert words in status.get("advice", "")
    assert status["reason"]
    assert "device_metrics" not in result
    assert result["speed"]["speedup"] > 0


def test_a_profiler_that_hangs_is_ended_within_the_requests_time(served):
    started = time.monotonic()
    result = result_of(served("hang"), timeout=15)["result"]
    assert result["device_metrics_status"]["state"] == "timed_out"
    assert time.monotonic() - started < 40


def test_what_cupti_cannot_count_is_read_by_nsight_compute(served):
    server = served("right")
    result = result_of(server, device_metrics={"collector": "cupti"})["result"]
    status = result["device_metrics_status"]
    assert status["state"] == "collected"
    for side in ("original", "custom"):
        assert status["collectors"][side] == {"by": "ncu", "reason": "the cpu device has no counters"}
        assert GROUPS <= set(result["device_metrics"][f"{side}_device_metrics"])
    sections = result_of(server, device_metrics={"collector": "cupti", "sections": ["Occupancy"]})["result"]
    assert "sections" in sections["device_metrics_status"]["collectors"]["custom"]["reason"]
    usual = result_of(server, device_metrics={"fresh": True})["result"]["device_metrics_status"]
    assert usual["collectors"] == {"original": {"by": "ncu"}, "custom": {"by": "ncu"}}


def test_what_nsight_compute_read_before_is_used_where_the_server_chooses(served):
    server = served("right")
    first, second = (result_of(server, device_metrics={"collector": "auto"})["result"]["device_metrics_status"]
                     for _ in range(2))
    assert "cached" not in first
    assert second["cached"] == ["original", "custom"]
    assert second["collectors"]["custom"] == {"by": "ncu", "reason": "Nsight Compute read them before"}


def test_without_nsight_compute_both_reasons_are_told(fresh_server):
    server = fresh_server("--devices", "cpu", "--ncu", "/nowhere/ncu").start()
    result = result_of(server, device_metrics={"collector": "cupti"})["result"]
    status = result["device_metrics_status"]
    assert status["state"] == "no_profiler" and "/nowhere/ncu" in status["reason"]
    assert status["collectors"]["custom"]["reason"] == "the cpu device has no counters"
    assert result["speed"]["speedup"] > 0


def test_a_missing_profiler_is_named(fresh_server):
    server = fresh_server("--devices", "cpu", "--ncu", "/nowhere/ncu").start()
    status = result_of(server)["result"]["device_metrics_status"]
    assert status["state"] == "no_profiler"
    assert "/nowhere/ncu" in status["reason"]
    assert "--ncu" in status["advice"]


def test_the_cpu_device_says_that_it_has_no_counters(server):
    status = result_of(server)["result"]["device_metrics_status"]
    assert status["state"] == "unsupported"
    assert "cuda" in status["advice"]


def test_a_rejected_kernel_is_not_profiled(served):
    wrong = kernels.SCALE.replace("a * x[i]", "a + x[i]")
    job = served("right").run({**kernels.compare(wrong), "num_trials": 3, "device_metrics": True})
    assert job["result"]["verdict"] == "wrong_answer"
    assert job["result"]["device_metrics_status"]["state"] == "skipped"


@pytest.mark.parametrize("wanted, field", [
    (3, "device_metrics"),
    ({"sets": ["--import"]}, "device_metrics.sets"),
    ({"sections": ["a b"]}, "device_metrics.sections"),
    ({"metrics": ["x,y"]}, "device_metrics.metrics"),
    ({"kernels": []}, "device_metrics.kernels"),
    ({"runs": 11}, "runs"),
    ({"kernels": {"name": "a{9}"}}, "name"),
    ({"kernels": {"name": "(a"}}, "regular expression"),
    ({"kernels": {"share": 0}}, "share"),
    ({"kernels": {"first": True}}, "first"),
])
def test_a_wrong_value_is_named(server, wanted, field):
    for path, body in (("/v1/jobs", kernels.compare()), ("/compare", kernels.compare()),
                       ("/evaluate", kernels.evaluate())):
        answer = server.post(path, {**body, "device_metrics": wanted})
        assert answer.status in (400, 422)
        assert field.replace("device_metrics.", "") in answer.text


def test_a_page_of_text_says_what_bounds_the_kernel(served):
    server = served("right")
    page = result_of(server, device_metrics=None, explain=True)["result"]["explanation"]
    assert page.startswith("What limits the candidate\n* memory-bound: 92 % of DRAM bandwidth")
    assert "What to try\n* move fewer bytes" in page
    answer = server.post("/evaluate", {**kernels.evaluate(), "num_trials": 3, "explain": True})
    assert "memory-bound" in answer.json["kernel_exec_result"]["metadata"]["explanation"]
    refused = server.post("/v1/jobs", {**kernels.compare(), "device_metrics": False,
                                       "explain": True})
    assert refused.status == 400 and "explain" in refused.text


def test_the_command_prints_the_page(tmp_path, cache_dir):
    request = tmp_path / "request.json"
    request.write_text(json.dumps({**kernels.compare(), "num_trials": 3}))
    (tmp_path / "tool").mkdir()  # pytest's own folder is closed to jailed users
    ncu = stand_in.write(fake_ncu, tmp_path / "tool" / "ncu", "right")
    page = tmp_path / "page.html"
    run = subprocess.run([BINARY, "profile-kernel", request, "--devices", "cpu", "--ncu", ncu,
                          "--cache-dir", cache_dir, "-q", "--html", page], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "memory-bound: 92 % of DRAM bandwidth" in run.stdout
    assert "Instructions of the candidate" in page.read_text()
    assert "90.0% of the samples are at one instruction, offset 0x0010" in page.read_text()
    run = subprocess.run([BINARY, "profile-kernel", request, "--devices", "cpu", "--cache-dir",
                          cache_dir, "-q"], capture_output=True, text=True)
    assert "No device metrics (unsupported): the cpu device has no counters" in run.stdout


def test_the_command_refuses_a_metric_that_the_chip_lacks(tmp_path, cache_dir):
    need_cupti()
    request = tmp_path / "request.json"
    request.write_text(json.dumps({**kernels.compare(), "device_metrics": {"metrics": ["dram__bites.sum"]}}))
    run = subprocess.run([BINARY, "profile-kernel", request, "--devices", "cpu", "--counter-chip", "GH100",
                          "--cache-dir", cache_dir, "-q"], capture_output=True, text=True)
    assert run.returncode == 2
    assert "device_metrics.metrics: there is no metric dram__bites.sum; did you mean dram__bytes" in run.stderr


def test_counters_of_the_same_build_are_read_once_and_say_so(served):
    server = served("right")
    # A comment of its own: other tests share the cache.
    body = kernels.compare(kernels.SCALE + "// read once\n")
    body["ref_kernel"]["source_code"] += "// read once\n"
    first = server.run({**body, "num_trials": 3, "device_metrics": True})["result"]
    assert "cached" not in first["device_metrics_status"]
    again = server.run({**body, "num_trials": 4, "device_metrics": True})
    result = again["result"]
    assert result["device_metrics_status"]["cached"] == ["original", "custom"]
    assert result["device_metrics_status"]["profiler"] == "2025.3.1"
    assert result["device_metrics_status"]["seconds"] < first["device_metrics_status"]["seconds"]
    assert result["device_metrics"]["changes"] == first["device_metrics"]["changes"]
    assert {artifact["name"] for artifact in result["artifacts"]} == {"reference.ncu-rep", "candidate.ncu-rep"}
    other = {**body, "custom_kernel": {**body["custom_kernel"], "source_code": body["custom_kernel"]["source_code"] + "//"}}
    status = server.run({**other, "num_trials": 3, "explain": True})["result"]
    assert status["device_metrics_status"]["cached"] == ["original"]
    assert "reference are of an earlier run of the same build" in status["explanation"]
    fresh = server.run({**body, "num_trials": 3, "device_metrics": {"fresh": True}})["result"]
    assert "cached" not in fresh["device_metrics_status"]
    named = server.run({**body, "num_trials": 3, "device_metrics": {"sections": ["Occupancy"]}})["result"]
    assert "cached" not in named["device_metrics_status"]
    wrong = server.post("/v1/jobs", {**body, "device_metrics": {"fresh": "yes please"}})
    assert wrong.status == 400 and "fresh" in wrong.text


@pytest.mark.parametrize("choice, launched, words", [
    ({"name": "^copy"}, ["copy_kernel"] * 3, "launches of kernels whose name has '^copy' in it"),
    ({"first_of_each_grid": True}, ["copy_kernel", "copy_kernel", "reduce_kernel"],
     "the first launch of each grid"),
    ({"share": 0.05}, ["copy_kernel"] * 3 + ["reduce_kernel"], "how long each takes is not known here"),
])
def test_chosen_kernels_alone_are_profiled(served, choice, launched, words):
    result = result_of(served("many"), device_metrics={"kernels": choice}, explain=True)["result"]
    call = result["device_metrics"]["custom_device_metrics"]
    assert [launch["kernel"] for launch in call["launches"]] == launched
    assert words in result["device_metrics_status"]["kernels"]
    assert "Profiled: " in result["explanation"]


def test_a_choice_that_fits_no_kernel_is_named(served):
    status = result_of(served("many"), device_metrics={"kernels": {"name": "conv"}})["result"][
        "device_metrics_status"]
    assert status["state"] == "failed"
    assert "no kernel of the measured call is one of those to be profiled" in status["reason"]
    assert "device_metrics.kernels" in status["advice"]


def test_several_runs_give_medians_and_their_spread(served):
    server = served("varying")
    for cached in (False, True):
        result = result_of(server, device_metrics={"runs": 3}, explain=True)["result"]
        assert ("cached" in result["device_metrics_status"]) == cached
        call = result["device_metrics"]["custom_device_metrics"]
        spread = call["spread"]["timing_metrics"]["gpu_time_duration_sum"]
        assert call["runs"] == 3
        assert spread["min"] < call["timing_metrics"]["gpu_time_duration_sum"] < spread["max"]
        assert call["launches"][0]["duration_ns"] == call["timing_metrics"]["gpu_time_duration_sum"]
        assert "medians of 3 runs" in result["explanation"]


def test_sets_of_ones_own_are_named_in_a_file(tmp_path, served, fresh_server):
    sets = tmp_path / "sets.json"
    sets.write_text(json.dumps({"memory": {"metrics": ["dram__bytes.sum"]}}))
    server = served("asked", "--metric-sets", str(sets))
    result = result_of(server, device_metrics={"sets": ["memory"]})["result"]
    kernel = result["device_metrics"]["custom_device_metrics"]["launches"][0]["kernel"]
    assert kernel == "--metrics dram__bytes.sum", "what the profiler was asked for"
    sets.write_text('{"memory": {"metrics": ["two words"]}}')
    run = subprocess.run([BINARY, "serve", "--port", "0", "--data-dir", tmp_path / "other", "--devices", "cpu",
                          "--metric-sets", sets], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert "set 'memory'" in run.stderr and "'two words' cannot be a name" in run.stderr


def need_cupti():
    chips = subprocess.run([BINARY, "metrics", "chips"], capture_output=True, text=True)
    if chips.returncode != 0:
        pytest.skip(f"no CUPTI: {chips.stderr}")
    return chips.stdout.split()


def test_a_metric_that_the_chip_lacks_is_refused_at_once(served):
    need_cupti()
    server = served("right", "--counter-chip", "GH100")
    wrong = {"device_metrics": {"metrics": ["sm__throughput.avg.pct_of_peak_sustained_elapsed",
                                            "dram_bytes.sum"]}}
    answer = server.post("/v1/jobs", {**kernels.compare(), **wrong})
    assert answer.status == 400
    assert "device_metrics.metrics" in answer.text
    assert "no metric dram_bytes.sum; did you mean dram__bytes" in answer.text
    for path, body in (("/compare", kernels.compare()), ("/evaluate", kernels.evaluate())):
        answer = server.post(path, {**body, **wrong})
        assert answer.status in (400, 422) and "did you mean dram__bytes" in answer.text
    started = time.monotonic()
    for _ in range(20):
        assert server.post("/v1/jobs", {**kernels.compare(), **wrong}).status == 400
    assert time.monotonic() - started < 1, "the names are read once"
    right = {"metrics": ["dram__bytes.sum", "launch__registers_per_thread"]}
    assert result_of(server, device_metrics=right)["result"]["device_metrics_status"]["state"] == "collected"


def test_where_nobody_knows_the_chip_any_name_goes_through(served):
    job = result_of(served("right"), device_metrics={"metrics": ["dram_bytes.sum"]})
    assert job["result"]["device_metrics_status"]["state"] == "collected"


def test_metrics_and_their_cost_are_known_without_a_gpu():
    keys = subprocess.run([BINARY, "metrics", "keys"], capture_output=True, text=True)
    assert "compute_throughput_pct" in keys.stdout
    assert "GH100" in need_cupti()
    plan = subprocess.run([BINARY, "metrics", "plan", "--chip", "gh100", "dram__bytes.sum",
                           "sm__throughput.avg.pct_of_peak_sustained_elapsed"],
                          capture_output=True, text=True)
    assert "  1 passes  dram__bytes.sum" in plan.stdout, plan.stderr
    wrong = subprocess.run([BINARY, "metrics", "plan", "dram_bytes.sum"], capture_output=True,
                           text=True)
    assert wrong.returncode == 2
    assert "did you mean dram__bytes" in wrong.stderr


def test_the_usual_counters_are_known_for_hopper_and_take_few_passes():
    need_cupti()
    plan = subprocess.run([BINARY, "metrics", "plan", "--chip", "gh100"], capture_output=True, text=True, check=True)
    lines = plan.stdout.splitlines()
    passes, of_all = lines[-1].split(" passes  ")
    assert of_all == "all of them together"
    assert int(passes) < 40
    names = {line.split(" passes  ")[1] for line in lines[:-1]}
    assert {"dram__bytes.sum", "gpu__time_duration.sum", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
            "sm__throughput.avg.pct_of_peak_sustained_elapsed"} <= names
    assert len(names) > 130
