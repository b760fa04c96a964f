"""What the documents show is what happens."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from support.server import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import check_documents  # noqa: E402

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
    if "compare" in command and "--server" not in command:
        environment.pop("ASSAY_SERVER")  # in place
    return subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=300,
                          env=environment)


def test_request_of_the_readme_gets_the_answer_of_the_readme(server, cache_dir):
    request = blocks("sh")[0]
    assert request.startswith("curl ")
    done = shell(request, server, cache_dir)
    assert done.returncode == 0, done.stderr
    check_same_shape(json.loads(blocks("json")[0]), json.loads(done.stdout))


@pytest.mark.parametrize("command", blocks("sh")[1].splitlines())
def test_commands_of_the_readme_work(server, cache_dir, command):
    done = shell(command, server, cache_dir)
    assert done.returncode == 0, done.stderr
    assert done.stdout


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


@pytest.mark.parametrize("text", [
    "`/v1/jobs`", "`application/json`", "`build/assay`", "`src/base/error.hpp`", "`model/verdict.hpp`",
    "`docs/adr/*.md`", "`std::jthread`", "`Result<T>`", "`make test`", "`--require-jail`", "`ASSAY_MAX_BODY`",
    "[r](README.md#two-commands)", "[w](https://example.org/x)", "`accepted`"])
def test_document_that_names_what_exists_is_accepted(text):
    assert list(check_documents.problems(text, pathlib.PurePath("README.md"))) == []
