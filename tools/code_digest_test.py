#!/usr/bin/env python3
"""Tests of cmake/AssayCodeDigestScript.cmake: what changes a digest of code, and what does not."""
import pathlib
import re
import subprocess
import tempfile
import unittest

import check_layers

ROOT = pathlib.Path(__file__).resolve().parent.parent


def digest(base, *files):
    output = base / "digest.cpp"
    subprocess.run(["cmake", "-D", f"OUTPUT={output}", "-D", "FUNCTION=a::b::digest", "-D", f"BASE={base}", "-D",
                    "FILES=" + ";".join(str(base / file) for file in files),
                    "-P", ROOT / "cmake" / "AssayCodeDigestScript.cmake"], check=True)
    return re.search(r'return "([0-9a-f]{64})"', output.read_text())[1]


class CodeDigest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = pathlib.Path(folder.name)
        (self.base / "one.cpp").write_text("int one;\n")
        (self.base / "two.cpp").write_text("int two;\n")

    def test_content_and_names_decide(self):
        before = digest(self.base, "one.cpp", "two.cpp")
        self.assertEqual(digest(self.base, "one.cpp", "two.cpp"), before)
        self.assertNotEqual(digest(self.base, "one.cpp"), before)
        (self.base / "two.cpp").write_text("int three;\n")
        self.assertNotEqual(digest(self.base, "one.cpp", "two.cpp"), before)
        (self.base / "two.cpp").rename(self.base / "three.cpp")
        (self.base / "three.cpp").write_text("int two;\n")
        self.assertNotEqual(digest(self.base, "one.cpp", "three.cpp"), before)

    def test_the_place_of_a_checkout_does_not(self):
        elsewhere = self.base / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "one.cpp").write_text("int one;\n")
        self.assertEqual(digest(elsewhere, "one.cpp"), digest(self.base, "one.cpp"))

    def test_builds_rest_on_every_module_that_builds(self):
        reached, new = set(), {"compile"}
        while new:
            reached |= new
            new = set().union(*(check_layers.ALLOWED[module] for module in new)) - reached
        listed = re.search(r"code_digest\s+MODULES ([a-z ]+)\)", (ROOT / "src/compile/CMakeLists.txt").read_text())[1]
        self.assertEqual(set(listed.split()), reached)


if __name__ == "__main__":
    unittest.main()
