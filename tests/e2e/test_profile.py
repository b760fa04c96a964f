"""`assay profile` with the built binary: what it carries works in a program that we did not write."""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

import pytest
from support import fake_training, runner
from support.server import BINARY

sys.path.insert(0, str(runner.ROOT / "tools"))
import run_document  # noqa: E402

RANGES = """
import torch
nvtx = torch.cuda.nvtx
nvtx.range_push("outer")
nvtx.range_push("inner")
nvtx.mark("here")
nvtx.range_pop()
started = nvtx.range_start("across")
nvtx.range_pop()
nvtx.range_end(started)
"""


def profile(folder, *words):
    ran = subprocess.run([BINARY, "profile", "--engine", "tracer", "--runs", folder / "runs", *words],
                         capture_output=True, text=True, env=os.environ | {"XDG_DATA_HOME": str(folder / "data")})
    return ran, max((folder / "runs").iterdir())


@pytest.mark.parametrize("option, value", [("--engine", "abacus"), ("--then-ncu", "-1")])
def test_a_wrong_value_is_named_whatever_the_program_takes(option, value):
    ran = subprocess.run([BINARY, "profile", option, value, "--", "true", "--batch", "8"], capture_output=True, text=True)
    assert ran.returncode == 2
    assert option in ran.stderr and "no option" not in ran.stderr


def test_a_wrong_number_of_runs_to_keep_is_refused(tmp_path):
    ran = subprocess.run([BINARY, "runs", "prune", "--keep-last", "-1", "--runs", tmp_path], capture_output=True, text=True)
    assert ran.returncode == 2
    assert "--keep-last" in ran.stderr


def test_ranges_of_torch_are_recorded_without_a_gpu(tmp_path):
    python, why = runner.find_python()
    if python is None:
        pytest.skip(f"needs a Python with torch: {why}")
    ran, run = profile(tmp_path, "--", python, "-c", RANGES)
    assert ran.returncode == 0, ran.stderr
    database = sqlite3.connect(run / "timeline.sqlite")
    rows = {text: (kind, start, end) for text, kind, start, end in database.execute(
        "SELECT text, eventType, start, end FROM NVTX_EVENTS")}
    assert {text: kind for text, (kind, _, _) in rows.items()} == {"outer": 59, "inner": 59, "here": 34, "across": 60}
    assert rows["outer"][1] <= rows["inner"][1] <= rows["inner"][2] <= rows["outer"][2]
    assert rows["across"][1] < rows["outer"][2] < rows["across"][2]
    assert (run / "report.html").exists()
    told = json.loads((run / "manifest.json").read_text())
    assert told["engine"] == "tracer" and told["exit_code"] == 0


def test_a_program_without_cuda_runs_as_it_would(tmp_path):
    ran, run = profile(tmp_path, "--", "/bin/sh", "-c", "echo said; exit 3")
    assert (ran.returncode, ran.stdout) == (3, "said\n")
    assert "neither CUDA nor NVTX" in ran.stderr
    assert not (run / "timeline.sqlite").exists()


def test_a_sweep_goes_on_where_nobody_reads_what_it_says(tmp_path):
    words = [BINARY, "profile", "--engine", "tracer", "--runs", tmp_path / "runs", "--sweep", "n=1,2,3", "--", "echo", "{n}"]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env=os.environ | {"XDG_DATA_HOME": str(tmp_path / "data")})
    running.stdout.readline()
    running.stdout.close()
    assert running.wait() == 0
    assert len(list((tmp_path / "runs").glob("sweep-*/n=*/*/manifest.json"))) == 3


def test_the_library_that_is_carried_needs_the_c_library_alone(tmp_path):
    profile(tmp_path, "--", "/bin/true")
    library = next(pathlib.Path(tmp_path / "data").rglob("libassay_tracer.so"))
    needed = subprocess.run(["objdump", "-p", library], capture_output=True, text=True).stdout
    names = {line.split()[1] for line in needed.splitlines() if "NEEDED" in line}
    assert names <= {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}, names


def test_nvtx_is_as_nvidias_headers_declare_it(tmp_path):
    """Every form of NVTX, compiled from NVIDIA's own headers, arrives in the timeline."""
    python, why = runner.find_python()
    headers = pathlib.Path(python).parent.parent.glob("lib/python3*/site-packages/nvidia/cu13/include") if python else ()
    include = next((folder for folder in headers if (folder / "nvtx3/nvToolsExt.h").exists()), None)
    if include is None or shutil.which("g++") is None:
        pytest.skip(f"needs g++ and the headers that come with torch for CUDA 13: {why}")
    program = tmp_path / "nvtx_layout"
    built = subprocess.run(["g++", "-std=c++23", f"-I{runner.ROOT}", "-isystem", include,
                            runner.ROOT / "tests/support/nvtx_layout.cpp", "-o", program, "-ldl"],
                           capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    ran, run = profile(tmp_path, "--", program)
    assert ran.returncode == 0, ran.stderr
    database = sqlite3.connect(run / "timeline.sqlite")
    rows = database.execute("SELECT eventType, coalesce(text, value), domainId, category, color, doubleValue"
                            " FROM NVTX_EVENTS LEFT JOIN StringIds ON textId = id ORDER BY start").fetchall()
    assert rows == [(75, "mine", 1, None, None, None), (59, "registered", 1, 3, 0xFF112233, 2.5),
                    (59, "wide \u00e9", 0, None, None, None), (34, "mark", 0, None, None, None),
                    (33, "third", 0, 3, None, None), (60, "across", 0, None, None, None), (76, "", 1, None, None, None)]


def test_the_page_on_profiling_shows_what_happens(tmp_path):
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    environment = fake_training.build(tmp_path)
    recording = run_document.run(runner.ROOT / "docs" / "profiling.md", BINARY, environment=environment)
    folder = runner.ROOT / "build" / "recordings"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "profiling.txt").write_text(recording)
    assert recording.count("$ assay") >= 8
