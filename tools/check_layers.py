#!/usr/bin/env python3
"""Fails when a module includes a header its layer may not see, or uses a fenced library; and when
ALLOWED or FENCES name a module, an edge or a use that is not there.

ALLOWED and FENCES are the architecture; ARCHITECTURE.md explains them.
"""
import pathlib
import re
import sys

BASE = {"base"}
VALUES = {"base", "model"}
ALLOWED = {
    "base": set(),
    "model": BASE,
    "access": BASE,
    "http": BASE,
    "tensor": VALUES,
    "timing": {"model"},
    "trace": VALUES,
    "process": BASE,
    "device": VALUES,
    "gate": VALUES | {"device", "tensor"},
    "profile": BASE | {"trace"},
    "metrics": VALUES | {"trace"},
    "store": VALUES,
    "wire": VALUES,
    "simt": BASE,
    "python": VALUES | {"process"},
    "compile": VALUES | {"process", "simt", "python", "device"},
    "judge": VALUES | {"tensor"},
    "eval": VALUES | {"gate", "tensor", "timing", "judge"},
    "runner": VALUES | {"gate", "wire", "process", "tensor", "device"},
    "worker": VALUES | {"gate", "wire", "process", "device", "eval", "metrics", "python", "tensor", "timing", "trace"},
    "queue": VALUES | {"store", "device", "compile", "wire", "worker"},
    "api": VALUES | {"access", "wire", "http", "queue", "store", "device", "compile"},
    "cli": VALUES | {"access", "gate", "wire", "http", "queue", "store", "device", "api", "metrics", "trace", "profile", "process",
                     "compile", "worker", "python"},
}
FENCES = {  # header prefix -> modules that may include it
    "boost/": {"http"},
    "nlohmann/": {"wire", "trace"},
    "sqlite3.h": {"store", "trace"},
    "CLI/": {"cli"},
    "seccomp.h": {"process"},
    "openssl/": {"base", "http"},
    "zstd.h": {"store"},
    "zlib.h": {"wire", "trace"},
}
BESIDE = {"tracer": {"base", "device"}}  # folder beside src -> modules it is built from; tests may use more
ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"
OURS = re.compile(r'^#include "([a-z_]+)/')
TESTS = re.compile(r"_test\.cpp$|/testkit/")
THEIRS = re.compile(r"^#include <([^>]+)>")


def violations(path, used):
    """What is wrong in a file. Adds each (module, what it includes) that is allowed to used."""
    folder, inner = path.relative_to(ROOT.parent).parts[:2]
    module = folder if folder in BESIDE else inner
    tests = TESTS.search(str(path)) is not None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.relative_to(ROOT.parent)}:{number}"
        if (match := OURS.match(line)) and match[1] != module:
            used.add((module, match[1]))
            if tests and (module in BESIDE or "/testkit/" in line and match[1] in BESIDE):
                continue
            if match[1] not in (ALLOWED | BESIDE).get(module, set()):
                yield f"{where}: {module} may not include {match[1]}"
        if match := THEIRS.match(line):
            for prefix, modules in FENCES.items():
                if match[1].startswith(prefix):
                    used.add((module, prefix))
                    if module not in modules and module not in BESIDE:
                        yield f"{where}: <{match[1]}> is only for {', '.join(sorted(modules))}"


def untrue(used):
    """What ALLOWED and FENCES say that is not so."""
    there = {folder.name for folder in ROOT.iterdir() if folder.is_dir()}
    for module in sorted(there ^ set(ALLOWED)):
        yield f"src/{module} is {'not in ALLOWED' if module in there else 'in ALLOWED and not there'}"
    for module in sorted(there & set(ALLOWED)):
        for other in sorted(ALLOWED[module]):
            if (module, other) not in used:
                yield f"ALLOWED lets {module} include {other}, which it does not: take it out"
    for prefix, modules in FENCES.items():
        for module in sorted(modules):
            if (module, prefix) not in used:
                yield f"FENCES lets {module} include <{prefix}...>, which it does not: take it out"


def main():
    files = sorted(path for folder in (ROOT, *(ROOT.parent / name for name in BESIDE))
                   for path in folder.rglob("*.[ch]pp"))
    used = set()
    bad = [problem for path in files for problem in violations(path, used)] + list(untrue(used))
    print("\n".join(bad) or f"layers: ok ({len(files)} files)")
    return bool(bad) or not files


if __name__ == "__main__":
    sys.exit(main())
