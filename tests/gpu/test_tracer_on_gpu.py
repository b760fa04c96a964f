"""`assay profile` on a real GPU, with our own tracer: what it records is what torch's profiler records, ranges are
nested as the program has them, the program is hardly slower for it, and what follows from it holds.

The runs are few, for each has to import torch: one of the program alone and under torch's profiler, a sweep of three
under the tracer, and one for each launch that ncu counts. The tests look at these.
"""
import bisect
import functools
import importlib.util
import json
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from support import server as server_module

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "support" / "train_small.py"
STEPS = 10
WARM_UP = 5
STAGES = ("forward", "backward", "optimizer")
ACTIVATIONS = ("gelu", "relu", "silu")
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


def run(what, *words):
    """What a command said on standard output."""
    began = time.monotonic()
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=400)
    print(f"[{time.monotonic() - began:5.1f} s] {what}", flush=True)
    assert ran.returncode == 0, f"{ran.returncode}: {ran.stdout[-3000:]}{ran.stderr[-3000:]}"
    return ran.stdout


def assay(what, *words):
    return run(what, server_module.BINARY, *words)


def said(output):
    return json.loads([line for line in output.splitlines() if line.startswith('{"step_ms"')][-1])


@functools.cache
def alone():
    """The program without us: its steps alone, and then under torch's profiler, whose trace is read."""
    trace = pathlib.Path(folder().name) / "torch.json"
    figures = said(run("alone and under torch's profiler", *train("--profiler", str(trace))))
    traces = [[event["dur"] for event in json.loads(pathlib.Path(f"{trace}.{turn}").read_text())["traceEvents"]
               if event.get("cat") == "kernel"] for turn in range(3)]
    figures["kernels"] = {len(kernels) for kernels in traces}
    figures["kernel_ns"] = statistics.median(1000 * sum(kernels) for kernels in traces)
    return figures


@functools.cache
def sweep():
    """Three runs under the tracer that differ in the activation: {activation: the run's folder}, and the sweep's."""
    flops = alone()
    runs = pathlib.Path(folder().name) / "runs"
    assay("a sweep of three under the tracer", "profile", "--engine", "tracer", "--runs", runs, "--stages",
          f"forward:flop={flops['forward_flops']}; backward:flop={flops['backward_flops']}; optimizer",
          "--sweep", f"activation={','.join(ACTIVATIONS)}", "--", *train("--activation", "{activation}"))
    place, = runs.iterdir()
    return {activation: next((place / f"activation={activation}").iterdir()) for activation in ACTIVATIONS}, place


def timeline(activation="gelu"):
    return sqlite3.connect(sweep()[0][activation] / "timeline.sqlite")


def tables(activation="gelu"):
    return json.loads((sweep()[0][activation] / "findings.json").read_text())["tables"]


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
    print(f"kernels {counts}, torch's profiler {theirs['kernels']}; total {total / 1e6:.3f} ms, torch's profiler "
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
    assert inside["forward"] > counts["step"] * 10 and inside["optimizer"] >= counts["step"]
    assert inside.get("backward", 0) < inside["forward"], "autograd launches from a thread of its own"


def test_a_step_takes_hardly_longer(gpu):
    database = timeline()
    traced = statistics.median(end - start for steps in steps_of(database) for start, end in steps) / 1e6
    plain, torchs = alone()["step_ms"], alone()["profiled_step_ms"]
    print(f"step {plain:.3f} ms alone, {traced:.3f} ms traced ({100 * (traced / plain - 1):+.1f} %), "
          f"{torchs:.3f} ms under torch's profiler ({100 * (torchs / plain - 1):+.1f} %)")
    small = alone()["launch_bound_step_ms"]
    all_small = [said((point / "logs" / "stdout.log").read_text())["launch_bound_step_ms"]
                 for point in sweep()[0].values()]
    traced_small = statistics.median(all_small)  # activations differ, launches do not
    print(f"step that only launches: {small:.3f} ms alone, {traced_small:.3f} ms traced "
          f"({100 * (traced_small / small - 1):+.1f} %; {all_small})")
    assert traced < 1.1 * plain
    assert traced_small < 1.5 * small


def test_a_sweep_has_a_row_for_each_value(gpu):
    points, place = sweep()
    rows = json.loads((place / "sweep.json").read_text())["tables"]["sweep"]["rows"]
    print([(row["activation"], row["state"], round(row["iteration_ns"] / 1e6, 3), row["kernels"]) for row in rows])
    assert [(row["activation"], row["state"]) for row in rows] == [(name, "done") for name in ACTIVATIONS]
    assert len(points) == 3 and (place / "sweep.svg").read_text().count("<circle") == 9


def gpu_time_of_stages(database):
    """How long GPUs took for a run of each stage, from the timeline's rows alone: from the start of the first kernel
    that was launched inside, by any thread, to the end of the last; on average over the measured steps."""
    launched = database.execute(
        "SELECT r.start, k.start, k.end FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r"
        " USING (correlationId) ORDER BY r.start").fetchall()
    calls = [call for call, _, _ in launched]
    times = {stage: [] for stage in STAGES}
    for text, start, end in database.execute(
            "SELECT n.text, n.start, n.end FROM NVTX_EVENTS n JOIN NVTX_EVENTS m ON m.text = 'measured'"
            " AND n.start BETWEEN m.start AND m.end"):
        if text in times:
            inside = launched[bisect.bisect_left(calls, start):bisect.bisect_right(calls, end)]
            times[text].append(max(end for _, _, end in inside) - min(start for _, start, _ in inside))
    assert {stage: len(taken) for stage, taken in times.items()} == dict.fromkeys(STAGES, 3 * STEPS)
    return {stage: statistics.mean(taken) for stage, taken in times.items()}


def test_utilisation_is_what_arithmetic_by_hand_gives(gpu):
    stages = {row["stage"]: row for row in tables()["stages"]["rows"]}
    assert {name: row["runs"] for name, row in stages.items()} == dict.fromkeys(STAGES, 3 * STEPS)
    taken = gpu_time_of_stages(timeline())
    figures = alone()
    peak = 989e12  # dense bf16 of an H200, of NVIDIA's data sheet, rounded as there
    rows = tables()["mfu"]["rows"]
    assert {row["stage"] for row in rows} == {"forward", "backward"}, "optimizer has no stated work"
    for row in rows:
        by_hand = 100 * figures[f"{row['stage']}_flops"] / (peak * taken[row["stage"]] * 1e-9)
        print(f"{row['stage']}: {taken[row['stage']] / 1e6:.3f} ms, MFU {row['mfu_pct']:.2f} %, by hand "
              f"{by_hand:.2f} %")
        assert abs(row["mfu_pct"] / by_hand - 1) < 0.005
        assert 5 < row["mfu_pct"] < 100


def test_two_runs_that_differ_in_one_kernel_are_told_apart_by_it(gpu):
    points, _ = sweep()
    report = json.loads(assay("a diff of two runs", "diff", points["gelu"] / "timeline.sqlite",
                              points["relu"] / "timeline.sqlite", "--format", "json"))
    rows = report["tables"]["kernels"]["rows"]
    gone, new = ([row["name"] for row in rows if row["status"] == status] for status in ("gone", "new"))
    print(report["findings"][0]["message"])
    print(f"{rows[0]['status']}, by {rows[0]['change_ns'] / 1e3:.1f} us: {rows[0]['name'][:140]}")
    assert 1 <= len(gone) <= 2 and all("gelu" in name.lower() for name in gone), gone
    assert 1 <= len(new) <= 2 and not any("gelu" in name.lower() for name in new), new
    assert rows[0]["name"] in gone + new


def launches_of(database, inside=None):
    """Every launch in order: name, grid, block, duration; with a name, those in measured ranges of that name."""
    rows = database.execute(
        "SELECT s.value, k.gridX || 'x' || k.gridY || 'x' || k.gridZ, k.blockX || 'x' || k.blockY || 'x' || k.blockZ,"
        " k.end - k.start, r.start, r.globalTid FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s"
        " ON s.id = k.demangledName JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)"
        " ORDER BY r.start").fetchall()
    if inside is None:
        return [row[:4] for row in rows]
    ranges = database.execute(
        "SELECT n.start, n.end, n.globalTid FROM NVTX_EVENTS n JOIN NVTX_EVENTS m ON m.text = 'measured'"
        " AND n.start BETWEEN m.start AND m.end WHERE n.text = ?", (inside,)).fetchall()
    return [row[:4] for row in rows
            if any(start <= row[4] <= end and thread == row[5] for start, end, thread in ranges)]


def count(activation, *options, inside=None):
    """Has ncu count kernels of a run. The launch in each of its reports is the one that its command counts to on the
    timeline, and the run's report joins them. Gives the rows of that, and what ncu says of the ranges of each."""
    place = sweep()[0][activation]
    words = ("profile", "--runs", place.parent, "--resume", "last", *options)
    assay(f"ncu {' '.join(options)}", *words)
    began = time.monotonic()
    assay("the same again", *words)
    assert time.monotonic() - began < 10, "what was counted is not counted again"
    found = tables(activation)
    assert "mfu" in found, "what was asked for before is kept"
    launches, ranges = launches_of(timeline(activation), inside), []
    rows = found["counted_kernels"]["rows"]
    for row, command in zip(rows, sorted((place / "ncu").glob("kernel_*.command")), strict=True):
        told = command.read_text().splitlines()
        pattern, skip = (told[told.index(option) + 1] for option in ("--kernel-name", "--launch-skip"))
        pattern = re.compile(pattern.removeprefix("regex:"))
        name, grid, block, took = [launch for launch in launches if pattern.search(launch[0])][int(skip)]
        caught, = json.loads(assay(command.stem, "analyze", command.with_suffix(".ncu-rep"), "--format",
                                   "json"))["tables"]["launches"]["rows"]
        ranges.append(caught["nvtx"])
        print(f"{row['time_pct']:.1f} %, meant {grid} of {block}, {took / 1e3:.1f} us; caught {caught['grid']} of "
              f"{caught['block']}, {row['counted_ns'] / 1e3:.1f} us, {row['bound']}, in {caught['nvtx']}: {name[:50]}")
        assert not row["remark"], row
        assert (name, took) == (row["name"], row["timeline_ns"])
        assert (caught["grid"], caught["block"]) == (grid, block)
        assert 0.5 < row["counted_ns"] / took < 3, row
    return rows, ranges


def test_kernels_that_matter_are_counted_and_joined(gpu):
    rows, _ = count("gelu", "--then-ncu", str(COUNTED), "--ncu-set", "roofline")
    assert {row["rank"] for row in rows} == set(range(1, COUNTED + 1))
    for row in rows:
        assert row["bound"] and row["compute_pct"] is not None and row["flop_per_s"] is not None, row


def test_a_kernel_of_a_range_is_counted_inside_it(gpu):
    rows, ranges = count("relu", "--then-ncu", "1", "--ncu-set", "basic", "--ncu-range", "measured > step > forward",
                         inside="forward")
    assert rows[0]["rank"] == 1 and all("measured/step/forward" in told for told in ranges), ranges
