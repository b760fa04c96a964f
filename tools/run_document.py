#!/usr/bin/env python3
"""tools/run_document.py DOCUMENT...: does what a document says, and fails where something else happens.

A document is read from top to bottom, in an empty folder:
- A block after the words "Save this as `NAME`:" becomes that file.
- A block marked `sh` holds commands. They must succeed, unless the next block is marked `text`: then they
  must print what it shows. There … stands for anything in a line, and for any lines where it stands alone.
- Other blocks are left alone.

`assay` is the program that --assay names. Prints a recording of all it did.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SERVER = "http://127.0.0.1:8000"  # as documents write it
BROKEN = 3  # exit code of a failure of Assay itself: never what a document shows
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"Save this as `([\w./-]+)`:\s*$")


class Mismatch(Exception):
    """What a document says is not what happened."""


@dataclasses.dataclass
class Step:
    commands: str = ""
    shown: str | None = None  # what the commands print; None: the document does not say
    file: str = ""            # instead of commands: the name of a file
    content: str = ""


def steps(text):
    """What there is to do in a document, in order."""
    found = []
    end = 0
    for block in BLOCK.finditer(text):
        saved = SAVED.search(text[end:block.start()])
        end = block.end()
        if saved:
            found.append(Step(file=saved[1], content=block[2]))
        elif block[1] == "sh":
            found.append(Step(commands=block[2]))
        elif block[1] == "text" and found and found[-1].commands and found[-1].shown is None:
            found[-1].shown = block[2]
    return found


def pattern(shown):
    lines = [r"(?:[^\n]*\n)*?" if line.strip() == "…" else
             re.sub(r"\\?…", r"[^\n]*", re.escape(line.rstrip())).replace(r"\ ", " ") + r"[ ]*\n"
             for line in shown.strip("\n").split("\n")]
    return "".join(lines)


def perform(step, folder, environment, server):
    """Does one step and returns its recording."""
    if step.file:
        (folder / step.file).parent.mkdir(parents=True, exist_ok=True)
        (folder / step.file).write_text(step.content)
        return f"(saved {step.file})\n"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", step.commands.replace(SERVER, server)], cwd=folder,
                          env=environment, capture_output=True, text=True, timeout=600)
    printed = done.stdout or done.stderr
    record = "".join(f"$ {line}\n" for line in step.commands.splitlines()) + printed
    if done.returncode >= BROKEN or (step.shown is None and done.returncode != 0):
        raise Mismatch(f"{record}{done.stderr}ended with {done.returncode}")
    if step.shown is not None and not re.fullmatch(pattern(step.shown), printed.rstrip() + "\n"):
        raise Mismatch(f"{record}\nThe document shows:\n{step.shown}")
    return record


def run(document, assay, server=SERVER, environment=None):
    """The recording of a whole document."""
    with tempfile.TemporaryDirectory(prefix="assay-document-") as made:
        programs = pathlib.Path(made) / "programs"
        folder = pathlib.Path(made) / "work"
        programs.mkdir()
        folder.mkdir()
        (programs / "assay").symlink_to(pathlib.Path(assay).resolve())
        given = dict(os.environ if environment is None else environment)
        given["PATH"] = f"{programs}:{given['PATH']}"
        todo = steps(pathlib.Path(document).read_text())
        if not any(step.commands for step in todo):
            raise Mismatch(f"{document} has no commands")
        return "\n".join(perform(step, folder, given, server) for step in todo)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="+")
    parser.add_argument("--assay", default=ROOT / "build" / "assay")
    parser.add_argument("--server", default=SERVER, help=f"what stands for {SERVER}")
    given = parser.parse_args()
    for document in given.documents:
        try:
            print(run(document, given.assay, given.server))
        except Mismatch as wrong:
            print(f"{document}: {wrong}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
