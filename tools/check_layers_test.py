#!/usr/bin/env python3
"""Tests of tools/check_layers.py over small trees: what it must find, and what it must let pass."""
import pathlib
import tempfile
import unittest

import check_layers


class Layers(unittest.TestCase):
    def problems(self, files, allowed, fences):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "src"
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            saved = check_layers.ROOT, check_layers.ALLOWED, check_layers.FENCES
            check_layers.ROOT, check_layers.ALLOWED, check_layers.FENCES = root, allowed, fences
            try:
                used = set()
                found = [problem for path in sorted(root.parent.rglob("*.cpp"))
                         for problem in check_layers.violations(path, used)]
                return found + list(check_layers.untrue(used))
            finally:
                check_layers.ROOT, check_layers.ALLOWED, check_layers.FENCES = saved

    def test_what_is_allowed_and_used_passes(self):
        self.assertEqual(self.problems({"base/a.cpp": "", "http/b.cpp": '#include "base/a.hpp"\n#include <boost/x.hpp>\n'},
                                       {"base": set(), "http": {"base"}}, {"boost/": {"http"}}), [])

    def test_an_edge_that_is_not_allowed_is_found(self):
        found = self.problems({"base/a.cpp": '#include "http/b.hpp"\n', "http/b.cpp": ""}, {"base": set(), "http": set()}, {})
        self.assertEqual(found, ["src/base/a.cpp:1: base may not include http"])

    def test_a_fenced_library_is_found(self):
        found = self.problems({"base/a.cpp": "#include <boost/x.hpp>\n"}, {"base": set()}, {"boost/": set()})
        self.assertEqual(len(found), 1)

    def test_what_lies_beside_may_use_its_modules_alone_and_lends_tests_its_testkit(self):
        files = {"base/a.cpp": '#include "tracer/x.hpp"\n',
                 "base/a_test.cpp": '#include "tracer/testkit/x.hpp"\n#include "tracer/x.hpp"\n',
                 "../tracer/x.cpp": '#include "base/a.hpp"\n#include "http/b.hpp"\n#include <sqlite3.h>\n',
                 "../tracer/x_test.cpp": '#include "http/b.hpp"\n', "http/b.cpp": ""}
        found = self.problems(files, {"base": set(), "http": set()}, {"sqlite3.h": set()})
        self.assertEqual(found, ["src/base/a.cpp:1: base may not include tracer",
                                 "src/base/a_test.cpp:2: base may not include tracer",
                                 "tracer/x.cpp:2: tracer may not include http"])

    def test_a_module_that_is_not_there_is_found(self):
        found = self.problems({"base/a.cpp": ""}, {"base": set(), "profile": set()}, {})
        self.assertEqual(found, ["src/profile is in ALLOWED and not there"])

    def test_a_module_that_no_rule_names_is_found(self):
        self.assertEqual(self.problems({"base/a.cpp": "", "new/b.cpp": ""}, {"base": set()}, {}),
                         ["src/new is not in ALLOWED"])

    def test_edges_and_uses_that_are_not_there_are_found(self):
        found = self.problems({"a/a.cpp": "", "b/b.cpp": ""}, {"a": {"b"}, "b": set()}, {"zlib.h": {"a"}})
        self.assertEqual(len(found), 2)
        self.assertTrue(all("take it out" in problem for problem in found))

    def test_base_too_is_named_only_where_it_is_included(self):
        found = self.problems({"base/a.cpp": "", "b/b.cpp": ""}, {"base": set(), "b": {"base"}}, {})
        self.assertEqual(found, ["ALLOWED lets b include base, which it does not: take it out"])


if __name__ == "__main__":
    unittest.main()
