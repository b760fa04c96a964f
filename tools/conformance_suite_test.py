#!/usr/bin/env python3
"""Tests that the conformance runner calls nothing good that is not."""
import argparse
import contextlib
import io
import pathlib
import tempfile
import unittest

import conformance_suite

LIMITS = argparse.Namespace(timeout=5.0, build_timeout=5.0)


def outcome_of(script, build="cp {script} {program} && chmod +x {program}"):
    """Judges a shell script as if it were a built program."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "script"
        text.write_text("#!/bin/sh\n" + script)

        def command(_, program):
            return ["sh", "-c", build.format(script=text, program=program)]

        source = conformance_suite.SUITE / "model" / "index.cu"
        return conformance_suite.judge(source, command, pathlib.Path(folder), LIMITS)


class Judge(unittest.TestCase):
    def test_accepts_a_program_whose_cases_all_pass(self):
        outcome = outcome_of("echo PASS one; echo PASS two")
        self.assertTrue(outcome.good)
        self.assertEqual(outcome.passed, 2)

    def test_reports_each_failed_case_once(self):
        outcome = outcome_of("echo PASS one; echo 'FAIL two: a'; echo 'FAIL two: b'; exit 1")
        self.assertFalse(outcome.good)
        self.assertEqual((outcome.passed, outcome.failed_cases, len(outcome.failures)), (1, 1, 2))

    def test_a_crash_after_a_pass_is_bad(self):
        self.assertIn("status -11", outcome_of("echo PASS one; kill -SEGV $$").trouble)

    def test_a_program_that_reports_nothing_is_bad(self):
        self.assertIn("no case", outcome_of("true").trouble)

    def test_a_program_that_hangs_is_stopped(self):
        LIMITS.timeout = 0.2
        self.assertIn("stopped", outcome_of("echo PASS one; exec sleep 60").trouble)
        LIMITS.timeout = 5.0

    def test_a_program_that_does_not_build_is_bad(self):
        outcome = outcome_of("true", build="echo no such header; exit 1")
        self.assertIn("no such header", outcome.trouble)


class Report(unittest.TestCase):
    def test_exit_status_follows_the_outcomes(self):
        good = conformance_suite.Outcome("a", passed=3)
        bad = conformance_suite.Outcome("b", passed=3, failures=["FAIL x: y"])
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(conformance_suite.report([good], 1.0), 0)
            self.assertEqual(conformance_suite.report([good, bad], 1.0), 1)
        self.assertIn("b: FAIL x: y", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
