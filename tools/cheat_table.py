#!/usr/bin/env python3
"""Writes the table of cheats in docs/judging.md anew, from the heads of the files under tests/adversarial/cheats."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import cheats  # noqa: E402

HEAD = "| cheat | class | rule | verdict |\n|---|---|---|---|\n"


def main():
    page = ROOT / "docs" / "judging.md"
    before, _, _ = page.read_text().partition(HEAD)
    page.write_text(before + HEAD + "\n".join(cheats.table()) + "\n")


if __name__ == "__main__":
    main()
