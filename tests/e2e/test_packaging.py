"""What is packed beside the binary is made from it, and true of it."""
import pathlib
import re
import subprocess
import sys

from support.server import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def helped(*above):
    """Every command and command of a command, with its help."""
    for name in re.findall(r"^  ([a-z][a-z-]*) {2,}\S", run(BINARY, *above, "--help"), re.MULTILINE):
        if above and not run(BINARY, *above, "--help").split("ubcommands:", 1)[-1].count(f"\n  {name} "):
            continue  # an argument
        yield [*above, name], run(BINARY, *above, name, "--help")
        if not above:
            yield from helped(name)


def test_manual_page_names_every_command_and_option():
    page = run(sys.executable, ROOT / "packaging" / "manual.py", BINARY).replace("\\-", "-")
    all_commands = [command for command, _ in helped()]
    assert ["profile-kernel"] in all_commands and ["token", "create"] in all_commands
    for command, text in helped():
        heading = f".SS assay {' '.join(command)}\n"
        assert heading in page
        section = page.split(heading, 1)[1].split("\n.S", 1)[0]
        for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.MULTILINE):
            assert option in section or option == "--help", f"{command} {option}"


def test_help_of_every_command_has_an_example():
    for command, text in helped():
        assert "Example" in text and f"\n  assay {command[0]}" in text or command == ["completions"], command


def test_manual_page_tells_nobody_where_it_was_made():
    page = run(sys.executable, ROOT / "packaging" / "manual.py", BINARY)
    assert "~/.local/share/assay" in page.replace("\\-", "-")
    assert str(pathlib.Path.home()) + "/" not in page


def test_every_library_that_is_linked_has_its_licence():
    notes = run(sys.executable, ROOT / "packaging" / "licences.py")
    build = (ROOT / "cmake" / "AssayDeps.cmake").read_text()
    archives = re.findall(r"^assay_static_library\((\w+) ", build, re.MULTILINE)
    headers = re.findall(r"^find_path\(ASSAY_(\w+)_INCLUDE", build, re.MULTILINE)
    named = {"crypto": "OpenSSL", "ssl": "OpenSSL", "seccomp": "libseccomp", "sqlite": "SQLite", "zstd": "Zstandard", "zlib": "zlib",
             "BOOST": "Boost", "JSON": "JSON for Modern C++", "CLI11": "CLI11"}
    assert archives and headers
    for library in [*archives, *headers]:
        heading = re.search(rf"^{re.escape(named[library])}.*\n=+\n\n(.*)", notes, re.MULTILINE)
        assert heading and heading[1], f"no licence of {library}"


def test_documents_are_packed_where_their_links_lead(tmp_path):
    run("cmake", "--build", ROOT / "build" / "release", "--target", "package_files")
    run("cmake", "--install", ROOT / "build" / "release", "--prefix", tmp_path)
    folder = tmp_path / "share" / "doc" / "assay"
    for page in ("README.md", "docs/tutorial.md", "docs/troubleshooting.md"):
        text = (folder / page).read_text()
        for link in re.findall(r"\]\(([^):#]+\.(?:md|svg))", text):
            assert ((folder / page).parent / link).exists(), f"{page}: {link}"
