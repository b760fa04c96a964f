"""The binary on profiles, with none of the profilers installed."""
import csv
import io
import json
import subprocess

import pytest

from support.server import BINARY

GEMM = "void gemm<float>(float*)"


def trace(gemm_us):
    """Two launches of a matrix multiplication and one of an addition, as PyTorch records them."""
    events, at = [], 1000
    for correlation, (name, took) in enumerate([(GEMM, gemm_us), (GEMM, gemm_us), ("add", 10)], 1):
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                       "ts": at, "dur": 2, "args": {"correlation": correlation}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at + 5, "dur": took,
                       "args": {"correlation": correlation, "device": 0, "stream": 7, "context": 1,
                                "grid": [4, 1, 1], "block": [128, 1, 1]}})
        at += took + 20
    return json.dumps({"traceEvents": events})


@pytest.fixture
def assay(tmp_path):
    (tmp_path / "before.json").write_text(trace(100))
    (tmp_path / "after.json").write_text(trace(130))

    def run(*arguments):
        return subprocess.run([BINARY, *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=60,
                              env={"PATH": "/nonexistent"})
    return run


def test_kernels_are_summed_in_every_format(assay):
    done = assay("analyze", "before.json", "--report", "kernels", "--format", "csv")
    assert done.returncode == 0, done.stderr
    first = next(csv.DictReader(io.StringIO(done.stdout)))
    assert (first["name"], first["total_ns"], first["count"], first["op_class"]) == (GEMM, "200000", "2", "gemm")
    report = json.loads(assay("analyze", "before.json", "--format", "json").stdout)
    assert report["tables"]["kernels"]["rows"][0]["total_ns"] == 200000
    for output in ("table", "markdown", "html"):
        assert "gemm" in assay("analyze", "before.json", "--format", output).stdout


def test_a_question_is_answered_in_words(assay):
    done = assay("analyze", "before.json", "--ask", "which kernel takes the most time?")
    assert done.returncode == 0, done.stderr
    assert "gemm" in done.stdout and "2 launches" in done.stdout


def test_a_slower_run_fails_the_gate(assay):
    assert assay("diff", "before.json", "before.json", "--fail-if", "kernel_time > +5%").returncode == 0
    worse = assay("diff", "before.json", "after.json", "--fail-if", "kernel_time > +5%")
    assert worse.returncode == 1
    assert "slower" in worse.stdout


def test_what_cannot_be_read_is_an_error_that_says_so(assay, tmp_path):
    assert assay("analyze", "none.json").returncode == 2
    (tmp_path / "broken.json").write_text(trace(100)[:200])
    broken = assay("analyze", "broken.json")
    assert broken.returncode != 0
    assert "broken.json" in broken.stderr


def test_wrong_numbers_of_rows_and_kernels_are_refused(assay):
    for option, value in (("--limit", "-1"), ("--top-kernels", "-1"), ("--top-kernels", "0")):
        done = assay("analyze", "before.json", option, value)
        assert done.returncode == 2, option
        assert option in done.stderr


def test_there_is_nothing_to_hand_on_without_kernels(assay, tmp_path):
    copy = {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 1, "dur": 5, "args": {"device": 0}}
    (tmp_path / "copies.json").write_text(json.dumps({"traceEvents": [copy]}))
    done = assay("analyze", "copies.json", "--emit", "ncu")
    assert done.returncode == 2
    assert "holds no kernels to hand on" in done.stderr


def test_events_in_two_halves_are_named_for_what_they_are(assay, tmp_path):
    halves = [{"ph": phase, "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": at} for phase, at in (("B", 1), ("E", 2))]
    (tmp_path / "halves.json").write_text(json.dumps({"traceEvents": halves}))
    done = assay("analyze", "halves.json")
    assert done.returncode == 2
    assert "two halves" in done.stderr


def test_names_in_an_error_move_no_cursor(assay, tmp_path):
    events = json.loads(trace(100))["traceEvents"]
    events.append({"ph": "X", "cat": "user_annotation", "name": "\x1b[2Jstep", "pid": 1, "tid": 1, "ts": 1000, "dur": 900})
    (tmp_path / "named.json").write_text(json.dumps({"traceEvents": events}))
    done = assay("analyze", "named.json", "--range", "none")
    assert done.returncode == 2
    assert "step" in done.stderr and "\x1b" not in done.stderr


COUNTERS = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",'


def counters(*launches):
    """A raw page of Nsight Compute with the durations of launches, in microseconds."""
    rows = [COUNTERS + '"gpu__time_duration.sum"', ",".join(['""'] * 11 + ['"us"'])]
    rows += [f'"{i}","7","p","h","{name}","1","7","(1, 1, 1)","(1, 1, 1)","0","9.0","{took}"' for i, (name, took) in enumerate(launches)]
    return "\n".join(rows) + "\n"


def test_a_new_slow_kernel_among_counters_is_not_passed_over(assay, tmp_path):
    (tmp_path / "a.csv").write_text(counters(("f", 100), ("g", 50)))
    (tmp_path / "b.csv").write_text(counters(("f", 100), ("g", 50), ("slow", 9000)))
    done = assay("diff", "a.csv", "b.csv", "--fail-if", "kernel_time > +5%")
    assert done.returncode == 2
    assert "hold only" in done.stderr
    assert assay("diff", "a.csv", "b.csv", "--fail-if", "kernel_time:f > +5%").returncode == 0
