"""What the documents show is what happens."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from support.server import BINARY, ROOT

sys.path.insert(0, str(ROOT / "tools"))
import check_documents  # noqa: E402
import run_document  # noqa: E402

# Documents whose commands are run, with what they print compared.
WALKED = ["README.md", "docs/tutorial.md", "docs/from-kernelbench.md", "docs/from-compatible-server.md",
          *(f"docs/kernels/{kind}.md" for kind in ("cuda", "torch", "torch_cuda", "triton", "multi_kernel"))]
RECORDINGS = ROOT / "build" / "recordings"  # what was typed and printed, to keep
SCHEMAS = json.loads((ROOT / "src" / "api" / "documents" / "openapi.json").read_text())["components"]["schemas"]
TROUBLESHOOTING = (ROOT / "docs" / "troubleshooting.md").read_text()

README = (ROOT / "README.md").read_text()
# Differ from host to host and from run to run, as measured numbers do; the rest must be as printed.
VARYING = {"job_id", "pod_name", "pod_ip", "hardware", "speed_verdict"}


def blocks(language, text=README):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def check_same_shape(shown, real, key=None):
    assert type(shown) is type(real), key
    if isinstance(shown, dict):
        assert list(shown) == list(real), key
        for inner in shown:
            check_same_shape(shown[inner], real[inner], inner)
    elif isinstance(shown, list):
        assert len(shown) == len(real), key
    elif not isinstance(shown, float) and key not in VARYING:
        assert shown == real, key


def shell(command, server, cache_dir):
    url = f"127.0.0.1:{server.port}"
    command = re.sub(r"(127\.0\.0\.1|localhost):8000", url, command)
    environment = {**os.environ, "ASSAY_CACHE_DIR": str(cache_dir), "ASSAY_SERVER": f"http://{url}"}
    return subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=300,
                          env=environment)


def test_request_of_the_readme_gets_the_answer_of_the_readme(server, cache_dir):
    request = next(block for block in blocks("sh") if block.startswith("curl "))
    done = shell(request, server, cache_dir)
    assert done.returncode == 0, done.stderr
    check_same_shape(json.loads(blocks("json")[0]), json.loads(done.stdout))


@pytest.mark.parametrize("name", WALKED)
def test_what_a_document_shows_is_what_happens(server, name):
    url = f"http://127.0.0.1:{server.port}"
    recording = run_document.run(ROOT / name, BINARY, url, {**os.environ, "ASSAY_SERVER": url})
    RECORDINGS.mkdir(parents=True, exist_ok=True)
    (RECORDINGS / f"{pathlib.PurePath(name).stem}.txt").write_text(recording)
    assert "$ assay" in recording or "$ curl" in recording


def test_every_kind_of_kernel_has_a_page_with_an_example():
    kinds = SCHEMAS["KernelCode"]["properties"]["kernel_type"]["enum"]
    assert {f"docs/kernels/{kind}.md" for kind in kinds} <= set(WALKED)


@pytest.mark.parametrize("text, complaint", [
    ("```sh\nexit 3\n```\n```text\n…\n```\n", "ended with 3"),
    ("```sh\nfalse\n```\n", "ended with 1"),
    ("```sh\necho two\n```\n```text\nthree\n```\n", "The document shows:\nthree"),
    ("```sh\ncat kept\n```\n", "No such file"),
    ("Nothing to run.\n", "has no commands"),
])
def test_document_that_shows_something_else_is_noticed(tmp_path, text, complaint):
    (tmp_path / "page.md").write_text(text)
    with pytest.raises(run_document.Mismatch, match=complaint):
        run_document.run(tmp_path / "page.md", BINARY)


def test_document_may_leave_out_what_varies(tmp_path):
    (tmp_path / "page.md").write_text("Save this as `kept`:\n\n```\na 1\nb\nc\nd\n```\n"
                                      "```sh\ncat kept\n```\n\n```text\na …\n…\nd\n```\n")
    assert "$ cat kept\na 1\n" in run_document.run(tmp_path / "page.md", BINARY)


@pytest.mark.parametrize("verdict", SCHEMAS["Verdict"]["enum"])
def test_troubleshooting_knows_every_verdict(verdict):
    assert f"\n### `{verdict}`\n" in TROUBLESHOOTING


def lines_of_doctor_explained():
    """The first cells of the table: `kind: what`, and behind it further `what` of the same kind."""
    for cell in re.findall(r"^\| (`[^|]+`) \|", TROUBLESHOOTING, re.MULTILINE):
        first, *others = re.findall(r"`([^`]+)`", cell)
        yield from (first, *(f"{first.partition(': ')[0]}: {other}" for other in others))


def test_troubleshooting_knows_every_line_of_doctor():
    done = subprocess.run([BINARY, "doctor", "--json"], capture_output=True, text=True, check=True)
    shown = {re.sub(r"cuda:\d+", "cuda:N", check["check"]) for check in json.loads(done.stdout)["checks"]}
    assert shown - set(lines_of_doctor_explained()) == set()


def test_troubleshooting_knows_the_lines_of_doctor_that_only_machines_with_a_gpu_print():
    source = (ROOT / "src" / "cli" / "doctor.cpp").read_text()
    written = set(re.findall(r'"((?:device|device metrics|sanitizers|kernel type): [a-z][a-z -]+)"', source))
    assert "device metrics: ncu" in written
    assert written - set(lines_of_doctor_explained()) == set()


def test_curl_of_the_examples_is_accepted(server, cache_dir):
    text = (ROOT / "examples" / "cuda" / "README.md").read_text()
    command = re.search(r"^    (curl .*)$", text, re.MULTILINE)[1]
    answer = json.loads(shell(command.replace("softmax", "row_sum"), server, cache_dir).stdout)
    assert answer["verdict"] == "accepted"


def test_every_document_names_only_what_exists():
    done = subprocess.run([sys.executable, ROOT / "tools" / "check_documents.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("text, complaint", [
    ("see `src/base/nothing.hpp`", "there is no src/base/nothing.hpp"),
    ("see `base/nothing.hpp`", "there is no base/nothing.hpp"),
    ("see `nothing.cpp`", "there is no nothing.cpp"),
    ("a `NoSuchThing::here`", "there is no symbol NoSuchThing"),
    ("the `Result::no_such_member_`", "there is no symbol no_such_member_"),
    ("run `make coffee`", "the Makefile has no target coffee"),
    ("give `--no-such-option`", "nothing takes --no-such-option"),
    ("[here](nowhere.md)", "the link to nowhere.md leads nowhere"),
    ("[here](README.md#no-such-section)", "README.md has no section no-such-section"),
    ("in src/base/error.hpp:12", "src/base/error.hpp is named with a line number"),
])
def test_document_that_names_what_does_not_exist_is_refused(text, complaint, monkeypatch):
    # The words above stand in this file, where the check finds them.
    known = check_documents.words() - {"NoSuchThing", "no_such_member_", "--no-such-option"}
    monkeypatch.setattr(check_documents, "words", lambda: known)
    found = list(check_documents.problems(text, pathlib.PurePath("README.md")))
    assert found == [(1, complaint)]


def test_folders_that_the_architecture_leaves_out_or_makes_up_are_found():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert list(check_documents.folder_problems(text)) == []
    wrong = text.replace("| `bench` |", "| `dashboards` |")
    assert list(check_documents.folder_problems(wrong)) == ["ARCHITECTURE.md: bench is not named",
                                                            "ARCHITECTURE.md: dashboards is named and not there"]


@pytest.mark.parametrize("text", [
    "`/v1/jobs`", "`application/json`", "`build/assay`", "`src/base/error.hpp`", "`model/verdict.hpp`",
    "`docs/adr/*.md`", "`std::jthread`", "`Result<T>`", "`make test`", "`--require-jail`", "`ASSAY_MAX_BODY`",
    "[r](README.md#two-commands)", "[w](https://example.org/x)", "`accepted`"])
def test_document_that_names_what_exists_is_accepted(text):
    assert list(check_documents.problems(text, pathlib.PurePath("README.md"))) == []
