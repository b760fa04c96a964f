#!/usr/bin/env python3
"""packaging/licences.py: the licences of the libraries that the binary is linked with.

Taken from the copyright files of the packages that they come from, on the machine that builds.
"""
import pathlib
import re
import subprocess
import sys

# What tools/bootstrap build installs and cmake/AssayDeps.cmake links, by a file of each.
LINKED = {
    "Boost (Asio, Beast)": "/usr/include/boost/version.hpp",
    "JSON for Modern C++": "/usr/include/nlohmann/json.hpp",
    "fmt": "/usr/include/fmt/format.h",
    "CLI11": "/usr/include/CLI/CLI.hpp",
    "SQLite": "/usr/include/sqlite3.h",
    "Zstandard": "/usr/include/zstd.h",
    "zlib": "/usr/include/zlib.h",
    "OpenSSL": "/usr/include/openssl/crypto.h",
    "libseccomp": "/usr/include/seccomp.h",
}


# Of Boost's parts, the two that are used: its copyright file lists some thousand others.
WANTED = {"Boost (Asio, Beast)": re.compile(r"\AFiles: \*$|^ libs/(asio|beast)/\*|\ALicense: BSL-1\.0$",
                                             re.MULTILINE)}


def package_of(file):
    """The name and version of the package that the file came with."""
    owner = subprocess.run(["dpkg-query", "-S", file], capture_output=True, text=True, check=True).stdout
    name = owner.split(": ")[0].split(":")[0].split(",")[0]
    shown = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\n", name], capture_output=True, text=True, check=True)
    return name, shown.stdout.splitlines()[0]


def runtime():
    """libstdc++ and libgcc, which g++ links."""
    archive = subprocess.run(["g++", "-print-file-name=libstdc++.a"], capture_output=True, text=True, check=True)
    return str(pathlib.Path(archive.stdout.strip()).resolve())


def main():
    print("Assay is under the Apache License 2.0. Its binary holds parts of these libraries:")
    for title, file in [*LINKED.items(), ("The GNU C++ library and libgcc", runtime())]:
        package, version = package_of(file)
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
        if title in WANTED:
            text = "\n\n".join(part for part in text.split("\n\n") if WANTED[title].search(part))
        heading = f"{title} ({package} {version})"
        print(f"\n\n{heading}\n{'=' * len(heading)}\n\n{re.sub(chr(13), '', text).strip()}")


if __name__ == "__main__":
    sys.exit(main())
