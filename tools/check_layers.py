#!/usr/bin/env python3
"""Fails when a module includes a header its layer may not see, or uses a fenced library.

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
    "http": BASE,
    "tensor": VALUES,
    "timing": VALUES,
    "trace": VALUES,
    "process": VALUES,
    "device": VALUES,
    "store": VALUES,
    "wire": VALUES,
    "simt": VALUES | {"process"},
    "python": VALUES | {"process"},
    "compile": VALUES | {"process", "store", "simt", "python", "device"},
    "judge": VALUES | {"tensor"},
    "profile": VALUES | {"process", "trace"},
    "eval": VALUES | {"tensor", "timing", "judge", "process", "device", "compile"},
    "runner": VALUES | {"wire", "process", "tensor", "device"},
    "worker": VALUES | {"wire", "process", "device", "eval", "tensor", "python"},
    "queue": VALUES | {"store", "device", "compile", "wire", "worker"},
    "api": VALUES | {"wire", "http", "queue", "store", "device", "compile"},
    "cli": VALUES | {"wire", "http", "queue", "store", "device", "api", "trace", "profile", "process",
                     "compile", "worker", "python"},
}
FENCES = {  # header prefix -> modules that may include it
    "boost/": {"http"},
    "nlohmann/": {"wire", "trace"},
    "sqlite3.h": {"store", "trace"},
    "CLI/": {"cli"},
    "seccomp.h": {"process"},
    "openssl/": {"base"},
    "zstd.h": {"store"},
    "zlib.h": {"wire", "trace"},
}
ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"
OURS = re.compile(r'^#include "([a-z_]+)/')
THEIRS = re.compile(r"^#include <([^>]+)>")


def violations(path):
    module = path.relative_to(ROOT).parts[0]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.relative_to(ROOT.parent)}:{number}"
        if (match := OURS.match(line)) and match[1] != module:
            if match[1] not in ALLOWED.get(module, set()):
                yield f"{where}: {module} may not include {match[1]}"
        if match := THEIRS.match(line):
            for prefix, modules in FENCES.items():
                if match[1].startswith(prefix) and module not in modules:
                    yield f"{where}: <{match[1]}> is only for {', '.join(sorted(modules))}"


def main():
    files = sorted(ROOT.rglob("*.[ch]pp"))
    bad = [problem for path in files for problem in violations(path)]
    print("\n".join(bad) or f"layers: ok ({len(files)} files)")
    return bool(bad) or not files


if __name__ == "__main__":
    sys.exit(main())
