#!/usr/bin/env python3
"""Runs the conformance suite on the CPU: every program is built by assay_simt_tool."""
import pathlib
import sys

import conformance_suite


def main():
    parser = conformance_suite.arguments(__doc__)
    parser.add_argument("--tool", type=pathlib.Path, required=True, help="path of assay_simt_tool")
    parser.add_argument("--sanitize", action="store_true", help="check every launch with all sanitizers")
    options = parser.parse_args()
    flags = ["--sanitize"] if options.sanitize else []

    def build(source, program):
        return [str(options.tool), "build", str(source), str(program), *flags]

    return conformance_suite.main(build, options)


if __name__ == "__main__":
    sys.exit(main())
