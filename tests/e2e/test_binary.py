"""The release binary is self-contained."""
import re
import subprocess

import pytest

from support.server import BINARY

OLDEST_GLIBC = (2, 35)


def version_tuple(text):
    return tuple(int(part) for part in text.split("."))


def test_needs_only_the_c_library():
    text = subprocess.run(["readelf", "-d", BINARY], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"Shared library: \[([^\]]+)\]", text))
    assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}, needed


def test_starts_on_glibc_2_35():
    host = version_tuple(re.search(r"(\d+\.\d+)", subprocess.run(
        ["ldd", "--version"], capture_output=True, text=True, check=True).stdout)[1])
    if host > (2, 36):
        pytest.skip(f"a binary for glibc 2.35 is built on Debian 12; this is glibc {host}")
    text = subprocess.run(["readelf", "-V", BINARY], capture_output=True, text=True, check=True).stdout
    versions = {version_tuple(found) for found in re.findall(r"GLIBC_(\d+\.\d+)", text)}
    assert versions and max(versions) <= OLDEST_GLIBC, max(versions)


def test_version_is_printed():
    text = subprocess.run([BINARY, "version"], capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"assay \d+\.\d+\.\d+\n", text)
