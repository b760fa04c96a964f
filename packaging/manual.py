#!/usr/bin/env python3
"""packaging/manual.py BINARY: the manual page of assay, from what its --help says."""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"^  (-\S.*?)(?:\s{2,}(\S.*))?$")
COMMAND = re.compile(r"^  ([a-z][a-z-]*)\s{2,}(\S.*)$")


def said(binary, *words):
    """Defaults below the home folder are shown with a tilde: the page is for everybody's."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "XDG_"))}
    run = subprocess.run([binary, *words], capture_output=True, text=True, check=True, env={**clean, "HOME": "~"})
    return run.stdout


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def options(help_text):
    """(flags, description) of each option that a help text lists."""
    found = []
    for line in help_text.splitlines():
        if match := OPTION.match(line):
            found.append([match[1], match[2] or ""])
        elif found and line.startswith(" " * 20):
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def commands(help_text):
    return [match.groups() for match in map(COMMAND.match, help_text.splitlines()) if match]


def listed(help_text):
    """The options that a help text lists, each as a paragraph of its own."""
    lines = []
    for flags, what in options(help_text):
        if not flags.startswith("-h,"):
            lines += [".TP", f".B {escaped(flags)}", escaped(what)]
    return lines


def page(binary):
    top = said(binary, "--help")
    version = said(binary, "version").split()
    number = next(word for word in version if re.match(r"v?\d", word))
    lines = [f'.TH ASSAY 1 "" "assay {number}" "Assay"', ".SH NAME", "assay \\- judges GPU kernels",
             ".SH SYNOPSIS", ".B assay", "COMMAND [OPTIONS]", ".SH DESCRIPTION", escaped(top.splitlines()[0]),
             ".PP", "A running server explains its interface at /docs.", ".SH COMMANDS"]
    for name, summary in commands(top):
        help_text = said(binary, name, "--help")
        lines += [f".SS assay {escaped(name)}", escaped(summary) + "."]
        lines += listed(help_text)
        for inner, what in commands(help_text):
            lines += [f".SS assay {escaped(name)} {escaped(inner)}", escaped(what) + "."]
            lines += listed(said(binary, name, inner, "--help"))
    lines += [".SH EXIT STATUS"]
    for code, meaning in (("0", "done, or the kernel was accepted"), ("1", "another verdict"),
                          ("2", "wrong usage or input"), ("3", "a failure of Assay or of its server")):
        lines += [".TP", f".B {code}", meaning]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1]))
