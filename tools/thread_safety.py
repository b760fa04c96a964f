#!/usr/bin/env python3
"""tools/thread_safety.py [-j N] FILE...: clang's analysis of locks, as an error.

Reads the files that hold or take an annotated lock (base/mutex.hpp), or include a header of ours that
does. What passed is remembered, as by tools/clang_tidy.py.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys

from clang_tidy import DATABASE, cache_dir, key_of, ours

LOCKS = re.compile(rb"ASSAY_GUARDED_BY|ASSAY_REQUIRES|MutexLock")


def has_locks(entry):
    file = pathlib.Path(entry["file"])
    seen = {}
    ours(file, seen)
    return any(LOCKS.search(content) for path, content in seen.items() if path.name != "mutex.hpp")


def check(entry, passed):
    words = shlex.split(entry["command"])
    start = next(index for index, word in enumerate(words) if "clang++" in word)
    output = words.index("-o")
    command = [*words[start:output], *words[output + 2:], "-fsyntax-only", "-Wno-everything", "-Wthread-safety",
               "-Werror=thread-safety"]
    run = subprocess.run(command, cwd=entry["directory"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode == 0:
        passed.touch()
    return run.returncode == 0, run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-j", type=int, default=2, dest="jobs")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    entries = {entry["file"]: entry for entry in json.loads((DATABASE / "compile_commands.json").read_text())}
    cache = cache_dir()
    cache.mkdir(parents=True, exist_ok=True)
    wanted = [entry for file in given.files if (entry := entries.get(str(file.resolve()))) and has_locks(entry)]
    todo = [(entry, passed) for entry in wanted if not (passed := cache / key_of(entry, b"locks")).exists()]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for good, said in pool.map(lambda work: check(*work), todo):
            failed += not good
            if not good:
                print(said, flush=True)
    print(f"locks: {len(wanted)} files, {len(wanted) - len(todo)} known to pass, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
