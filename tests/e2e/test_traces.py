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
