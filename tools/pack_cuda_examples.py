#!/usr/bin/env python3
"""Puts the kernels of examples/cuda into the requests beside them; --check only compares.

NAME.json is a body for POST /compare: its reference is NAME.naive.cu, its candidate NAME.cu.
"""
import json
import pathlib
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples" / "cuda"


def packed(request_file):
    request = json.loads(request_file.read_text())
    for role, suffix in (("ref_kernel", ".naive.cu"), ("custom_kernel", ".cu")):
        request[role]["source_code"] = request_file.with_suffix(suffix).read_text()
    return json.dumps(request, indent=2) + "\n"


def main():
    check = sys.argv[1:] == ["--check"]
    stale = [file for file in sorted(EXAMPLES.glob("*.json")) if file.read_text() != packed(file)]
    for file in stale:
        if check:
            print(f"{file.name} differs from its kernels: run tools/pack_cuda_examples.py")
        else:
            file.write_text(packed(file))
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
