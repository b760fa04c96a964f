"""Builds and runs the programs of simt/conformance in parallel and reports on them.

Shared by simt_conformance.py and gpu_conformance.py, which differ only in how a program is built.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITE = ROOT / "simt" / "conformance"


@dataclasses.dataclass
class Outcome:
    """What became of one program. `trouble` is set when it did not report for itself."""

    name: str
    passed: int = 0
    failures: list = dataclasses.field(default_factory=list)
    trouble: str = ""
    build_seconds: float = 0.0
    run_seconds: float = 0.0

    @property
    def failed_cases(self):
        return len({line.split()[1].rstrip(":") for line in self.failures})

    @property
    def good(self):
        return self.passed > 0 and not self.failures and not self.trouble


def run_limited(command, seconds):
    """Runs a command; gives its exit status (None when stopped at the limit) and all its output."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=seconds, check=False)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as stopped:
        return None, (stopped.stdout or b"").decode(errors="replace")


def read_report(outcome, status, output, limit):
    """Fills an outcome from the lines a program printed and how it ended."""
    lines = output.splitlines()
    outcome.passed = sum(line.startswith("PASS ") for line in lines)
    outcome.failures = [line for line in lines if line.startswith("FAIL ")]
    if status is None:
        outcome.trouble = f"stopped after {limit} s"
    elif status != 0 and not outcome.failures:
        other = [line for line in lines if not line.startswith("PASS ")]
        outcome.trouble = f"ended with status {status}\n" + "\n".join(other[-20:])
    elif status == 0 and outcome.passed == 0:
        outcome.trouble = "reported no case"


def judge(source, build_command, scratch, limits):
    """Builds and runs one program."""
    outcome = Outcome(str(source.relative_to(SUITE).with_suffix("")))
    program = scratch / outcome.name.replace("/", "-")
    start = time.monotonic()
    status, output = run_limited(build_command(source, program), limits.build_timeout)
    outcome.build_seconds = time.monotonic() - start
    if status != 0:
        outcome.trouble = "did not build\n" + output[-4000:]
        return outcome
    start = time.monotonic()
    status, output = run_limited([str(program)], limits.timeout)
    outcome.run_seconds = time.monotonic() - start
    read_report(outcome, status, output, limits.timeout)
    return outcome


def report(outcomes, seconds):
    """Prints failures in full and a short table last; gives the exit status."""
    for outcome in outcomes:
        if outcome.trouble:
            print(f"{outcome.name}: {outcome.trouble}")
        for line in outcome.failures:
            print(f"{outcome.name}: {line}")
    bad = [outcome for outcome in outcomes if not outcome.good]
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed_cases for outcome in outcomes)
    build = sum(outcome.build_seconds for outcome in outcomes)
    run = sum(outcome.run_seconds for outcome in outcomes)
    print(f"files   {len(outcomes):5}   bad {len(bad)}")
    print(f"cases   {passed + failed:5}   passed {passed}, failed {failed}")
    print(f"seconds {seconds:5.0f}   building {build:.0f}, running {run:.0f} (summed over programs)")
    for outcome in bad:
        print(f"BAD {outcome.name}: {outcome.trouble.splitlines()[0] if outcome.trouble else 'cases failed'}")
    return 1 if bad else 0


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("files", nargs="*", type=pathlib.Path,
                        help="programs to run (default: all of simt/conformance)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one program to run")
    parser.add_argument("--build-timeout", type=float, default=300)
    return parser


def main(build_command, limits):
    sources = [path.resolve() for path in limits.files] or sorted(SUITE.rglob("*.cu"))
    if not sources:
        sys.exit(f"no programs under {SUITE}")
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="conformance-") as scratch:
        with concurrent.futures.ThreadPoolExecutor(limits.jobs) as pool:
            work = [pool.submit(judge, source, build_command, pathlib.Path(scratch), limits)
                    for source in sources]
            outcomes = [each.result() for each in work]
    return report(outcomes, time.monotonic() - start)
