#!/usr/bin/env python3
"""Runs the conformance suite on the CPU: every program is built by assay_simt_tool."""
import pathlib
import sys

import conformance_suite

# Programs in which the sanitizers are right to complain: what they must find, and nothing else.
EXPECTED = {"model/barriers": "left the kernel without reaching this barrier"}
FINDINGS_STATUS = 66  # assay/simt/report_at_exit.hpp


def forgive(outcome):
    """A program whose every finding is an expected one has done well."""
    expected = EXPECTED.get(outcome.name)
    first, _, rest = outcome.trouble.partition("\n")
    if expected is None:
        return outcome
    if first != f"ended with status {FINDINGS_STATUS}" or not all(
            expected in line for line in rest.splitlines() if line.startswith("line ")):
        outcome.trouble = outcome.trouble or f"the sanitizers did not find: {expected}"
        return outcome
    outcome.trouble = ""
    return outcome


def main():
    parser = conformance_suite.arguments(__doc__)
    parser.add_argument("--tool", type=pathlib.Path, required=True, help="path of assay_simt_tool")
    parser.add_argument("--sanitize", action="store_true", help="check every launch with all sanitizers")
    options = parser.parse_args()
    flags = ["--sanitize"] if options.sanitize else []

    def build(source, program):
        return [str(options.tool), "build", str(source), str(program), *flags]

    return conformance_suite.main(build, options, forgive if options.sanitize else None)


if __name__ == "__main__":
    sys.exit(main())
