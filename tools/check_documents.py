#!/usr/bin/env python3
"""Fails when a document names something that does not exist.

Looked at, in every Markdown file of the repository: paths, symbols, options, environment variables and
make targets in backticks; local links; line numbers, which are wrong a day later; and the tables of
ARCHITECTURE.md: the modules, which must be what check_layers.py enforces, and the folders beside src. Files that
a document tells its reader to save exist for that document.
"""
import functools
import pathlib
import re
import subprocess
import sys

import check_layers
import run_document

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE_ENDINGS = (".cpp", ".hpp", ".h", ".py", ".cmake", ".txt", ".cu", ".inc", ".json", ".sh")
OUTPUTS = ("build/",)  # made, not kept
SYMBOL = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*(::[A-Za-z_]\w*)*")
QUALIFIED = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)+")


@functools.cache
def tracked():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\n")
    return {name for name in listed if name and (ROOT / name).is_file()}


@functools.cache
def folders():
    return {str(parent) for name in tracked() for parent in pathlib.PurePath(name).parents} - {"."}


@functools.cache
def words():
    """Every identifier, option and variable in a file that is not a document."""
    found = set()
    for name in tracked():
        if name.endswith(".md") or not (name.endswith(SOURCE_ENDINGS) or "." not in name):
            continue
        text = (ROOT / name).read_text(errors="replace")
        found.update(re.findall(r"\w+", text))
        found.update(re.findall(r"--[a-z][a-z0-9-]*", text))
    return found


@functools.cache
def targets():
    return set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def exists(path, document):
    """As a path from the root, from the document's folder, or from src."""
    path = path.rstrip("/")
    for start in ("", str(document.parent), "src"):
        full = pathlib.PurePath(start) / path
        pattern = str(full)
        if pattern in tracked() or pattern in folders():
            return True
        if "*" in pattern and any(pathlib.PurePath(name).match(pattern) for name in tracked()):
            return True
    return "/" not in path and any(name.endswith("/" + path) for name in tracked())


def looks_like_path(text):
    if not re.fullmatch(r"[\w.*-]+(/[\w.*-]*)*", text) or text.startswith(OUTPUTS):
        return False
    if "/" not in text:
        return bool(re.fullmatch(r"[a-z_]\w*\.(cpp|hpp|py|cmake)", text))
    first = text.split("/")[0]
    tops = {folder for folder in folders() if "/" not in folder}
    modules = {folder.split("/")[1] for folder in folders() if folder.startswith("src/")}
    return first in tops or (first in modules and "." in text)


def problem_with(text, document):
    """What is wrong with one piece of code in a document, if anything."""
    if looks_like_path(text):
        return None if exists(text, document) else f"there is no {text}"
    if match := re.fullmatch(r"make ([a-z0-9-]+)", text):
        return None if match[1] in targets() else f"the Makefile has no target {match[1]}"
    if re.fullmatch(r"--[a-z][a-z0-9-]*|ASSAY_[A-Z_]+", text):
        return None if text in words() else f"nothing takes {text}"
    name = text.removesuffix("()").split("<")[0]
    if not name.startswith("std::") and (SYMBOL.fullmatch(name) or QUALIFIED.fullmatch(name)):
        missing = [part for part in name.split("::") if part not in words()]
        return f"there is no symbol {missing[0]}" if missing else None
    return None


def anchors(text):
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def problem_with_link(target, document):
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    full = (ROOT / document.parent / path).resolve() if path else ROOT / document
    if not full.exists():
        return f"the link to {target} leads nowhere"
    if anchor and full.suffix == ".md" and anchor not in anchors(full.read_text()):
        return f"{path or document} has no section {anchor}"
    return None


def problems(text, document):
    """Of one document, as (line, complaint)."""
    saved = {step.file for step in run_document.steps(text)}
    for number, line in enumerate(re.sub(r"```.*?```", lambda m: "\n" * m[0].count("\n"), text,
                                         flags=re.DOTALL).splitlines(), 1):
        for code in re.findall(r"`([^`]+)`", line):
            if code not in saved and (problem := problem_with(code, document)):
                yield number, problem
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if problem := problem_with_link(target, document):
                yield number, problem
        for path in re.findall(r"([\w./-]+\.\w+)(?::|#L)\d+", line):
            if exists(path, document):
                yield number, f"{path} is named with a line number"


def table_problems():
    """The modules of ARCHITECTURE.md against the rules that are enforced."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    rows = re.findall(r"^\| ([a-z]+) \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)
    told = {module: set(re.findall(r"\w+", allowed)) for module, allowed in rows[1:]}
    built = {folder.split("/")[1] for folder in folders() if folder.startswith("src/")}
    for module in sorted(built | set(told)):
        rule = check_layers.ALLOWED.get(module, set())
        if module not in built or told.get(module) != rule:
            yield f"ARCHITECTURE.md: the row of {module} should be: {', '.join(sorted(rule)) or '–'}"


def folder_problems(text):
    """The folders of the repository against those that ARCHITECTURE.md names."""
    section = text.partition("\n## Beside src\n")[2].partition("\n## ")[0]
    told = {name for cell in re.findall(r"^\| (`[^|]+`) \|", section, re.MULTILINE) for name in re.findall(r"`([^`]+)`", cell)}
    there = {folder for folder in folders() if "/" not in folder and not folder.startswith(".")} - {"src"}
    for folder in sorted(told ^ there):
        yield f"ARCHITECTURE.md: {folder} is {'not named' if folder in there else 'named and not there'}"


def main():
    documents = sorted(name for name in tracked() if name.endswith(".md"))
    bad = [f"{name}:{number}: {problem}" for name in documents
           for number, problem in problems((ROOT / name).read_text(), pathlib.PurePath(name))]
    bad += table_problems()
    bad += folder_problems((ROOT / "ARCHITECTURE.md").read_text())
    print("\n".join(bad) or f"documents: ok ({len(documents)} files)")
    return bool(bad) or not documents


if __name__ == "__main__":
    sys.exit(main())
