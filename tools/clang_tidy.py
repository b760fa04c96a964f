#!/usr/bin/env python3
"""tools/clang_tidy.py [-j N] FILE...: clang-tidy over the files that build/lint would compile.

A file that passed is not read again until it, a header of ours that it includes, its compile command,
.clang-tidy or clang-tidy itself changes. What passed is remembered outside the build folder.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATABASE = ROOT / "build" / "lint"
PROGRAM = "clang-tidy-19"
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# What is right for the product and not for its tests: what a test does slowly it does once.
NOT_FOR_TESTS = ("performance-inefficient-string-concatenation",
                 "performance-inefficient-vector-operation")
NOISE = re.compile(r"^\d+ warnings? generated|^\[\d+/\d+\] Processing")


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "assay" / "lint"


def ours(file, seen):
    """The file and every header of ours that it includes, directly or not."""
    if file in seen:
        return
    seen[file] = content = file.read_bytes()
    for name in INCLUDE.findall(content):
        for base in (ROOT / "src", file.parent):
            header = base / os.fsdecode(name)
            if header.is_file():
                ours(header.resolve(), seen)
                break


def key_of(entry, common):
    seen = {}
    ours(pathlib.Path(entry["file"]), seen)
    key = hashlib.sha256(common)
    key.update(entry["command"].replace(str(ROOT), "").encode())
    for file, content in sorted(seen.items()):
        key.update(b"\0%b\0%d\0" % (os.fsencode(file.relative_to(ROOT)), len(content)))
        key.update(content)
    return key.hexdigest()


def check(entry, passed):
    command = [PROGRAM, "--quiet", "-p", DATABASE, entry["file"]]
    if entry["file"].endswith("_test.cpp"):
        command.append("--checks=" + ",".join(f"-{name}" for name in NOT_FOR_TESTS))
    run = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode == 0:
        passed.touch()
    said = [line for line in run.stdout.splitlines() if not NOISE.match(line)]
    return run.returncode == 0, "\n".join(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-j", type=int, default=2, dest="jobs")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    entries = {entry["file"]: entry
               for entry in json.loads((DATABASE / "compile_commands.json").read_text())}
    version = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes() + repr(NOT_FOR_TESTS).encode()
    cache = cache_dir()
    cache.mkdir(parents=True, exist_ok=True)
    # Only what the preset compiles has flags to be read with.
    wanted = [entries[name] for name in (str(file.resolve()) for file in arguments.files) if name in entries]
    todo = [(entry, passed) for entry in wanted
            if not (passed := cache / key_of(entry, common)).exists()]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for good, said in pool.map(lambda work: check(*work), todo):
            failed += not good
            if not good:
                print(said, flush=True)
    print(f"clang-tidy: {len(wanted)} files, {len(wanted) - len(todo)} known to pass, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
