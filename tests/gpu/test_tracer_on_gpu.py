"""`assay profile` on a real GPU, with our own tracer: what it records is what torch's profiler records, ranges are
nested as the program has them, the program is hardly slower for it, and what follows from it holds.

The runs are few, for each has to import torch: one of the program alone and under torch's profiler, and a sweep of
three under the tracer. The tests look at these.
"""
import functools
import importlib.util
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from support import server as server_module

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "support" / "train_small.py"
STEPS = 20
WARM_UP = 10
STAGES = ("forward", "backward", "optimizer")
COUNTED = int(os.environ.get("PROFILE_NCU", "3"))  # kernels for ncu; each takes as long as a start of torch


@functools.cache
def folder():
    # Removed when the process ends.
    return tempfile.TemporaryDirectory(prefix="assay-profile-")


def python():
    if os.environ.get("ASSAY_PYTHON"):
        return os.environ["ASSAY_PYTHON"]
    if importlib.util.find_spec("torch") is None:
        raise unittest.SkipTest("needs a Python with torch for CUDA (ASSAY_PYTHON names one)")
    return sys.executable


def train(*options):
    return [python(), str(SCRIPT), "--steps", str(STEPS), "--warm-up", str(WARM_UP), *options]


def run(*words):
    """What a command said, on standard output and on standard error."""
    began = time.monotonic()
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=400)
    print(f"[{time.monotonic() - began:.1f} s] {' '.join(str(word) for word in words[:8])} ...: {ran.returncode}", flush=True)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return ran.stdout, ran.stderr


def said(output):
    return json.loads([line for line in output.splitlines() if line.startswith('{"step_ms"')][-1])


@functools.cache
def alone():
    """The program without us: its steps alone, and then under torch's profiler, whose trace is read."""
    trace = pathlib.Path(folder().name) / "torch.json"
    figures = said(run(*train("--profiler", str(trace)))[0])
    traces = [[event["dur"] for event in json.loads(pathlib.Path(f"{trace}.{turn}").read_text())["traceEvents"]
               if event.get("cat") == "kernel"] for turn in range(3)]
    figures["kernels"] = {len(kernels) for kernels in traces}
    figures["kernel_ns"] = statistics.median(1000 * sum(kernels) for kernels in traces)
    return figures


@functools.cache
def sweep():
    """Three runs under the tracer that differ in the activation: {activation: the run's folder}, and the table."""
    flops = alone()
    runs = pathlib.Path(folder().name) / "runs"
    table, told = run(server_module.BINARY, "profile", "--engine", "tracer", "--runs", runs, "--stages",
                      f"forward:flop={flops['forward_flops']}; backward:flop={flops['backward_flops']}; optimizer",
                      "--sweep", "activation=gelu,relu,silu", "--", *train("--activation", "{activation}"))
    place, = runs.iterdir()
    points = {activation: next((place / f"activation={activation}").iterdir()) for activation in ("gelu", "relu", "silu")}
    return points, table, told, place


def timeline(activation="gelu"):
    return sqlite3.connect(sweep()[0][activation] / "timeline.sqlite")


def steps_of(database):
    """The measured steps, as often as they were measured: [[(start, end)]]."""
    return [database.execute("SELECT start, end FROM NVTX_EVENTS WHERE text = 'step' AND start > ? AND end < ?"
                             " ORDER BY start", window).fetchall()
            for window in database.execute("SELECT start, end FROM NVTX_EVENTS WHERE text = 'measured' ORDER BY start")]


def test_kernels_are_those_that_torchs_profiler_sees(gpu):
    database = timeline()
    turns = steps_of(database)
    assert [len(steps) for steps in turns] == [STEPS] * 3
    rows = [[database.execute("SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL"
                              " WHERE start BETWEEN ? AND ?", step).fetchone() for step in steps] for steps in turns]
    counts = {sum(count for count, _ in steps) for steps in rows}
    total = statistics.median(sum(time for _, time in steps) for steps in rows)
    theirs = alone()
    print(f"kernels {counts} and {theirs['kernels']}, total {total / 1e6:.3f} ms, torch's profiler "
          f"{theirs['kernel_ns'] / 1e6:.3f} ms ({100 * (total / theirs['kernel_ns'] - 1):+.3f} %)")
    assert counts == theirs["kernels"] and len(counts) == 1
    assert abs(total / theirs["kernel_ns"] - 1) < 0.005


def test_ranges_are_nested_as_written_and_kernels_lie_in_them(gpu):
    database = timeline()
    rows = database.execute("SELECT text, start, end FROM NVTX_EVENTS WHERE eventType = 59 AND domainId = 0"
                            " ORDER BY start, end DESC").fetchall()
    parents, open_ranges = {}, []
    for text, start, end in rows:
        while open_ranges and open_ranges[-1][1] <= start:
            open_ranges.pop()
        parents.setdefault(text, set()).add(open_ranges[-1][0] if open_ranges else None)
        open_ranges.append((text, end))
    assert parents == {"warm-up": {None}, "measured": {None}, "step": {"warm-up", "measured"},
                       **{stage: {"step"} for stage in STAGES}}, parents
    counts = dict(database.execute("SELECT text, count(*) FROM NVTX_EVENTS WHERE eventType = 59 GROUP BY text"))
    assert counts["forward"] == counts["step"] == 3 * STEPS + WARM_UP, counts
    called, early = database.execute(
        "SELECT count(*), sum(k.start < r.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN"
        " CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)").fetchone()
    kernels, = database.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
    assert called == kernels, f"{kernels} kernels, {called} with one call each that launched them"
    assert early == 0, f"{early} kernels began before they were launched: two clocks"
    inside = dict(database.execute(
        "SELECT n.text, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r"
        " USING (correlationId) JOIN NVTX_EVENTS n ON n.globalTid = r.globalTid"
        " AND r.start BETWEEN n.start AND n.end WHERE n.eventType = 59 GROUP BY n.text"))
    print(f"{kernels} kernels, launched by the thread of their range: {inside}")
    assert inside["forward"] > STEPS * 10 and inside["optimizer"] >= STEPS
    assert inside.get("backward", 0) < inside["forward"], "autograd launches from a thread of its own"


def test_a_step_takes_hardly_longer(gpu):
    database = timeline()
    traced = statistics.median(end - start for steps in steps_of(database) for start, end in steps) / 1e6
    plain, torchs = alone()["step_ms"], alone()["profiled_step_ms"]
    print(f"step {plain:.3f} ms alone, {traced:.3f} ms traced ({100 * (traced / plain - 1):+.1f} %), "
          f"{torchs:.3f} ms under torch's profiler ({100 * (torchs / plain - 1):+.1f} %)")
    small = alone()["launch_bound_step_ms"]
    all_small = [said((run / "logs" / "stdout.log").read_text())["launch_bound_step_ms"] for run in sweep()[0].values()]
    traced_small = statistics.median(all_small)  # activations differ, launches do not
    print(f"step that only launches: {small:.3f} ms alone, {traced_small:.3f} ms traced "
          f"({100 * (traced_small / small - 1):+.1f} %; {all_small})")
    assert traced < 1.1 * plain
    assert traced_small < 1.5 * small


def test_a_sweep_has_a_row_for_each_value(gpu):
    points, table, _, place = sweep()
    print(table)
    rows = json.loads((place / "sweep.json").read_text())["tables"]["sweep"]["rows"]
    assert len(rows) == 3 and len(points) == 3
    assert (place / "sweep.svg").read_text().count("<circle") == 9


def test_utilisation_is_what_arithmetic_by_hand_gives(gpu):
    points, _, told, _ = sweep()
    print(told[-4000:])
    tables = json.loads((points["gelu"] / "findings.json").read_text())["tables"]
    stages = {row["stage"]: row for row in tables["stages"]["rows"]}
    assert {name: row["runs"] for name, row in stages.items()} == dict.fromkeys(STAGES, 3 * STEPS)
    figures = alone()
    peak = 989e12  # dense bf16 of an H200, of NVIDIA's data sheet, rounded as there
    for row in tables["mfu"]["rows"]:
        by_hand = 100 * figures[f"{row['stage']}_flops"] / (peak * stages[row["stage"]]["per_run_ns"] * 1e-9)
        print(f"{row['stage']}: MFU {row['mfu_pct']:.2f} %, by hand {by_hand:.2f} %")
        assert abs(row["mfu_pct"] / by_hand - 1) < 0.002
        assert 5 < row["mfu_pct"] < 100


def test_two_runs_that_differ_in_one_kernel_are_told_apart_by_it(gpu):
    points = sweep()[0]
    told, _ = run(server_module.BINARY, "diff", points["gelu"] / "timeline.sqlite", points["relu"] / "timeline.sqlite",
                  "--format", "json")
    kernels = json.dumps(json.loads(told))
    print(told[:1500])
    assert "GeluCUDAKernelImpl" in kernels or "GeluBackward" in kernels
    table, _ = run(server_module.BINARY, "diff", points["gelu"] / "timeline.sqlite", points["relu"] / "timeline.sqlite")
    first = [line for line in table.splitlines() if "elu" in line]
    print("\n".join(first[:6]))
    assert first


def test_kernels_that_matter_are_counted_and_joined(gpu):
    points = sweep()[0]
    root = points["gelu"].parent
    words = (server_module.BINARY, "profile", "--runs", root, "--resume", "last", "--then-ncu", COUNTED, "--ncu-set",
             "roofline")
    _, told = run(*words)
    print(told[-5000:])
    report = json.loads((points["gelu"] / "findings.json").read_text())
    rows = report["tables"]["counted_kernels"]["rows"]
    assert {row["rank"] for row in rows} == set(range(1, COUNTED + 1))
    for row in rows:
        assert not row["remark"], row
        assert row["bound"] and row["compute_pct"] is not None and row["flop_per_s"] is not None, row
        assert 0.5 < row["counted_ns"] / row["timeline_ns"] < 3, row
    again = time.monotonic()
    run(*words)
    assert time.monotonic() - again < 10, "what was counted is not counted again"
