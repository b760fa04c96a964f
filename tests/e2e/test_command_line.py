"""The command line, with a server and without one."""
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import time
import uuid

import pytest

from support import kernels
from support.server import BINARY


@pytest.fixture
def files(tmp_path):
    (tmp_path / "ref.cu").write_text(kernels.SCALE)
    (tmp_path / "good.cu").write_text(kernels.SCALE_STRIDED)
    (tmp_path / "wrong.cu").write_text(kernels.SCALE.replace("a *", "3 * a *"))
    (tmp_path / "io.json").write_text(json.dumps(kernels.scale_io()))
    (tmp_path / "request.json").write_text(json.dumps(kernels.compare(num_trials=5)))
    (tmp_path / "broken.json").write_text('{"kernel"')
    (tmp_path / "misspelt.json").write_text(json.dumps({**kernels.scale_io(), "lauch": {}}))
    (tmp_path / "large.json").write_text(json.dumps({**kernels.scale_io(), "args": [
        kernels.tensor("x", [kernels.N], init={"kind": "randn"}), kernels.tensor("y", [kernels.N + 1], "output"),
        *kernels.scale_io()["args"][2:]]}))
    (tmp_path / "ref.py").write_text("def f(x):\n    return x\n")
    (tmp_path / "template.cu").write_text("template <class T> __global__ void tk(T* x) { x[threadIdx.x] = 1; }\n")
    (tmp_path / "two.cu").write_text("__global__ void first() {}\n__global__ void second() {}\n")
    return tmp_path


@pytest.fixture
def assay(files, cache_dir):
    def run(*arguments, **environment):
        return subprocess.run(
            [BINARY, *arguments], capture_output=True, text=True, cwd=files, timeout=400, stdin=subprocess.DEVNULL,
            env={**os.environ, "ASSAY_CACHE_DIR": str(cache_dir), **environment})
    return run


def test_compare_in_place_prints_a_table_and_exits_by_verdict(assay):
    good = assay("compare", "-r", "ref.cu", "-c", "good.cu", "--io", "io.json", "--trials", "5")
    assert good.returncode == 0, good.stderr
    assert "verdict    accepted" in good.stdout and "speedup" in good.stdout
    assert "building" in good.stderr  # progress
    wrong = assay("compare", "-r", "ref.cu", "-c", "wrong.cu", "--io", "io.json")
    assert wrong.returncode == 1
    assert "verdict    wrong_answer" in wrong.stdout


def test_files_may_follow_an_option_that_takes_several_words(assay):
    done = assay("compare", "--sanitize", "memory,race", "ref.cu", "good.cu", "--io", "io.json", "--trials", "2")
    assert done.returncode == 0, done.stderr
    assert "verdict    accepted" in done.stdout


def test_json_is_the_whole_job(assay):
    done = assay("compare", "request.json", "--json")
    job = json.loads(done.stdout)
    assert job["verdict"] == "accepted" and len(job["result"]["candidate_timing"]["samples_ns"]) == 5


def test_source_beside_a_request_is_what_is_judged(assay):
    wrong = assay("compare", "request.json", "-c", "wrong.cu")
    assert wrong.returncode == 1 and "wrong_answer" in wrong.stdout, wrong.stdout + wrong.stderr


def test_what_one_command_built_the_next_one_finds(files, cache_dir):
    (files / "own.cu").write_text(kernels.SCALE_STRIDED + f"// {uuid.uuid4()}\n")  # not built before

    def was_cached():
        done = subprocess.run(
            [BINARY, "evaluate", "-c", "own.cu", "--io", "io.json", "--trials", "2", "--json"],
            capture_output=True, text=True, cwd=files, timeout=120,
            env={**os.environ, "ASSAY_CACHE_DIR": str(cache_dir)})
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["result"]["provenance"]["candidate_cache_hit"]

    assert [was_cached(), was_cached()] == [False, True]


def test_evaluate_runs_one_kernel(assay):
    done = assay("evaluate", "-c", "good.cu", "--io", "io.json", "--trials", "3")
    assert done.returncode == 0 and "candidate" in done.stdout


def test_same_command_against_a_server(assay, server):
    url = f"http://127.0.0.1:{server.port}"
    done = assay("compare", "request.json", "--server", url, "--json")
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)["id"]
    assert server.get(f"/v1/jobs/{job}").json["state"] == "done"
    listed = assay("jobs", "--limit", "5", ASSAY_SERVER=url)
    line = next(line for line in listed.stdout.splitlines() if line.startswith(job[:8]))
    assert "cuda" in line and "accepted" in line and line.endswith("x"), line
    for arguments in ([job], [job[:8]], [job[:8], "--follow"]):
        shown = assay("jobs", *arguments, ASSAY_SERVER=url)
        assert "verdict    accepted" in shown.stdout, shown.stderr
    assert "\033" not in listed.stdout + shown.stdout, "colours are for terminals"
    unknown = assay("jobs", "zzzz", ASSAY_SERVER=url)
    assert unknown.returncode == 2 and "no job's id begins with zzzz" in unknown.stderr


@pytest.mark.parametrize("arguments, code, words", [
    (["compare"], 2, "REQUEST"),
    (["evaluate", "-c", "good.cu"], 2, "io_contract"),
    (["compare", "-c", "good.cu", "--io", "io.json"], 2, "--reference"),
    (["compare", "ref.cu", "good.cu", "--io", "misspelt.json"], 2,
     "assay: candidate.io.lauch, reference.io.lauch: there is no field 'lauch': did you mean launch?\n"),
    (["compare", "ref.cu", "good.cu", "--io", "large.json", "-q"], 1, "wrong_answer\nreason     1 of 1001 elements differ by "
     "more than the tolerance in round 1. atol="),
    (["compare", "ref.cu", "good.cu", "--io", "large.json", "-q"], 1, "whether the contract makes the output too large"),
    (["completions", "powershell"], 2, "assay: SHELL: there is no 'powershell'. Known: bash, zsh, fish"),
    (["judge", "ref.cu", "good.cu"], 2, "assay: there is no command 'judge' (assay --help lists all)"),
    (["compare", "request.json", "--type", "nonsense"], 2, "--type: there is no 'nonsense'. Known: torch, torch_cuda"),
    (["compare", "request.json", "--sanitize", "memroy"], 2, "did you mean memory?"),
    (["compare", "request.json", "--trials", "many"], 2, "--trials: give a number from 1 to 10000 or auto, not 'many'"),
    (["compare", "request.json", "--trials", "0"], 2, "--trials: give a number from 1 to 10000 or auto, not '0'"),
    (["compare", "request.json", "--timeout", "abc"], 2, "--timeout wants a whole number from 5 to 600, not 'abc'"),
    (["compare", "request.json", "--rtol", "x"], 2, "--rtol: give 0 or a larger number, not 'x'"),
    (["compare", "request.json", "--rounds", "0"], 2, "--rounds wants a whole number from 1 to 100, not '0'"),
    (["compare", "request.json", "--threshold", "5"], 2, "--threshold wants a number from 0.001 to 0.5, not '5'"),
    (["compare", "request.json", "--seed", "abc"], 2, "--seed: give a whole number, or the sixteen digits of provenance.seed"),
    (["compare", "request.json", "--device", "gpu"], 2, "assay: --device: there is no device 'gpu'; there is cpu"),
    (["compare", "-", "-"], 2, "`-` is standard input, and can be given once"),
    (["evaluate", "-"], 2, "assay: standard input is empty"),
    (["evaluate", "request.json", "--strict"], 2, "there is no option '--strict'"),
    (["init", "--cuda", "--torch"], 2, "give one of --cuda, --torch, --triton and --torch-cuda"),
    (["init", "good.cu", "-d", "other"], 2, "--directory: is for init without KERNEL"),
    (["init", "template.cu"], 2, "tk is a template: name an instance, --kernel-name 'tk<float>'"),
    (["jobs", "--state", "qeued"], 2, "did you mean queued?"),
    (["jobs", "--verdict", "wrong"], 2, "Known: accepted"),
    (["token", "create"], 2, "see assay token create --help"),
    (["init", "ref.py"], 2, "ref.py is Python"),
    (["setup", "pyton"], 2, "there is no argument 'pyton': did you mean python?"),
    (["version", "now"], 2, "there is no argument 'now'. See assay version --help"),
    (["compare", "missing.cu", "good.cu"], 2, "assay: there is no file 'missing.cu'"),
    (["compare", "ref.cu", "."], 2, "assay: '.' is a directory, not a file"),
    (["compare", "ref.cu", "good.cu", "ref.py"], 2, "assay: FILES: 2 at most, not 3"),
    (["compare", "ref.cu", "good.cu", "--trials"], 2, "assay: --trials wants a value"),
    (["token", "list", "--data-dir", "."], 2, "`assay token create` makes it"),
    (["fsck", "--data-dir", "."], 2, "holds no jobs.db, so it is no data directory of Assay"),
    (["init", "--cuda", "-d", "ref.py/x"], 2, "the directory ref.py/x cannot be made"),
    (["token"], 2, "assay token needs one of: create, list, revoke"),
    (["compare", "request.json", "--device", "cuda:7"], 2, "no device 'cuda:7'; there is cpu"),
    (["compare", "missing.json"], 2, "missing.json"),
    (["jobs", "--cancel"], 2, "ID"),
    (["nonsense"], 2, "nonsense"),
    (["comapre", "request.json"], 2, "did you mean compare?"),
    (["compare", "request.json", "--trails", "3"], 2, "did you mean --trials?"),
    (["compare", "ref.cu", "good.cu"], 2, "assay init good.cu"),
    (["compare", "broken.json"], 2, "line 1, column 10"),
    (["init", "two.cu"], 2, "several kernels (first, second)"),
    (["serve", "--port", "99999999"], 2, "--port wants a whole number from 0 to 65535, not '99999999'"),
    (["jobs", "--server", "http://127.0.0.1:1"], 3, "127.0.0.1:1"),
    (["jobs", "--server", "http://127.0.0.1:1"], 3, "Is the server running? `assay serve` starts one"),
    ([], 2, "give a command: `assay --help` lists them"),
    (["help", "nonsense"], 2, "there is no command 'nonsense'"),
    (["serve", "--devices", "cuda:7"], 2, "cuda:7"),
])
def test_wrong_use_is_told_clearly(assay, arguments, code, words):
    done = assay(*arguments)
    assert done.returncode == code, done.stderr
    assert "--ref-type" not in done.stderr or "compare" in arguments
    assert words in done.stderr + done.stdout


TORCH = {"source_code": "class Model: pass", "kernel_type": "torch"}


@pytest.mark.parametrize("body, words", [
    (kernels.compare(device="cuda:7"), "device: there is no device 'cuda:7'; there is cpu"),
    ({**kernels.compare(), "custom_kernel": TORCH, "sanitize": ["memory"]},
     "sanitize: The sanitizers check cuda and torch_cuda kernels, not torch"),
    (kernels.compare(io=kernels.scale_io(1 << 18)), "io.args: The tensors of the candidate hold 2097152 bytes"),
], ids=["device", "sanitizers", "tensors"])
def test_what_a_server_refuses_is_refused_without_one_in_the_same_words(assay, files, fresh_server, body, words):
    (files / "request.json").write_text(json.dumps(body))
    server = fresh_server("--tensor-memory", "1mb").start()
    answer = server.post("/v1/jobs", body)
    assert answer.status == 400, answer.text
    refused = answer.json["error"]["message"]
    assert refused.startswith(words)
    alone = assay("compare", "request.json", "--tensor-memory", "1mb", "--quiet")
    assert (alone.returncode, alone.stderr) == (2, f"assay: {refused}\n")
    asked = assay("compare", "request.json", "--server", f"http://127.0.0.1:{server.port}", "--quiet")
    assert (asked.returncode, asked.stderr) == (2, f"assay: the server answered 400: {refused}\n")


def test_help_is_a_command_too(assay):
    assert assay("help").stdout == assay("--help").stdout
    assert assay("help", "compare").stdout == assay("compare", "--help").stdout
    assert assay("help", "token", "create").stdout == assay("token", "create", "--help").stdout


def test_help_has_examples(assay):
    for command in ("serve", "evaluate", "compare", "jobs"):
        text = assay(command, "--help").stdout
        assert "Example" in text, command
    text = assay("compare", "--help").stdout
    assert "Usage: assay compare [OPTIONS] REFERENCE CANDIDATE\n" in text
    headings = ["What is judged:", "How it is judged:", "How it is timed:", "This machine:",
                "Counters and sanitizers of GPUs:", "Examples:"]
    assert sorted(headings, key=text.index) == headings


def test_doctor_says_what_was_found(assay):
    checks = json.loads(assay("doctor", "--json").stdout)["checks"]
    names = {check["check"] for check in checks}
    assert {"device: cpu", "kernel type: cuda on cpu", "jail: seccomp"} <= names
    missing = assay("doctor", "--compiler", "/nonexistent/g++").stdout
    assert "MISSING" in missing and "unsupported" in missing and "docs/troubleshooting.md" in missing


def test_a_port_that_is_taken_is_named_with_what_to_do(assay, server, files):
    taken = assay("serve", "--port", str(server.port), "--data-dir", str(files / "data"), "--no-prepare")
    assert taken.returncode != 0
    assert f"Port {server.port} is taken" in taken.stderr and "--port" in taken.stderr


def test_options_come_from_the_environment_and_a_file(assay, files, fresh_server):
    config = files / "assay.toml"
    config.write_text('max-body = "1kb"\n')
    assert "ASSAY_PORT" in assay("serve", "--help").stdout
    server = fresh_server("--config", str(config)).start()
    assert server.post("/v1/jobs", {"kernel": "x" * 2000}).status == 413
    assert server.post("/v1/jobs", {"kernel": "x"}).status == 400


def test_a_config_file_that_cannot_be_followed_stops_the_server(assay, files):
    config = files / "assay.toml"
    config.write_text("require-jial = true\n")
    for environment, arguments in ({}, ("--config", str(config))), ({"ASSAY_CONFIG": str(config)}, ()):
        ended = assay("serve", "--port", "0", *arguments, **environment)
        assert ended.returncode == 2, ended.stderr
        assert "assay.toml: serve has no option 'require-jial': did you mean require-jail?" in ended.stderr
    missing = assay("serve", "--config", str(files / "none.toml"))
    assert missing.returncode != 0 and "none.toml" in missing.stderr


def test_a_model_is_the_reference_of_a_cuda_kernel(assay, files):
    """Arguments are found by name: the order of `forward` is another."""
    (files / "ref.py").write_text("""
import torch
class Model(torch.nn.Module):
    def forward(self, a, x):
        return a * x
""")
    good = assay("compare", "ref.py", "good.cu", "--io", "io.json", "--trials", "3")
    assert good.returncode == 0, good.stdout + good.stderr
    wrong = assay("compare", "ref.py", "wrong.cu", "--io", "io.json", "--trials", "3")
    assert wrong.returncode == 1 and "wrong_answer" in wrong.stdout
    (files / "ref.py").write_text("def f(x, weight):\n    return x\n")
    other = assay("compare", "ref.py", "good.cu", "--io", "io.json")
    assert other.returncode == 2 and "the contract has no 'weight'" in other.stderr


def test_a_model_is_the_candidate_of_a_cuda_kernel(assay, files):
    """The contract is the kernel's, the order of `forward` the model's."""
    (files / "ref.io.json").write_text(json.dumps(kernels.scale_io()))
    (files / "cand.py").write_text("import torch\nclass Model(torch.nn.Module):\n    def forward(self, a, x):\n        return a * x\n")
    good = assay("compare", "ref.cu", "cand.py", "--trials", "3")
    assert good.returncode == 0, good.stdout + good.stderr
    (files / "cand.py").write_text("def f(x, weight):\n    return x\n")
    other = assay("compare", "ref.cu", "cand.py")
    assert other.returncode == 2 and "`forward` takes x, weight, the contract has the inputs x" in other.stderr


def test_an_error_of_a_model_is_told_once(assay, files):
    (files / "boom.py").write_text("def f(x, a):\n    raise ValueError('boom')\n")
    (files / "ref.io.json").write_text(json.dumps(kernels.scale_io()))
    done = assay("compare", "ref.cu", "boom.py")
    assert "reason     ValueError: boom (line 2)\n" in done.stdout
    assert done.stderr.splitlines()[-1] == "done: crashed"


def test_an_instance_of_a_template_is_drafted_and_run(assay):
    drafted = assay("init", "template.cu", "--kernel-name", "tk<float>")
    assert drafted.returncode == 0 and "assay evaluate template.cu --kernel-name 'tk<float>'" in drafted.stdout, drafted.stderr
    done = assay("evaluate", "template.cu", "--kernel-name", "tk<float>", "--trials", "2")
    assert done.returncode in (0, 1) and "template" not in done.stdout.split("verdict", 1)[1], done.stdout


def test_without_counters_the_verdict_is_shown_and_the_option_named(assay):
    done = assay("profile-kernel", "request.json", "--quiet")
    assert "verdict    accepted" in done.stdout and "--device cuda" in done.stdout, done.stdout


def test_a_job_that_has_ended_cannot_be_cancelled(assay, server):
    job = server.run(kernels.evaluate(num_trials=1))["id"]
    refused = assay("jobs", job, "--cancel", ASSAY_SERVER=f"http://127.0.0.1:{server.port}")
    assert (refused.returncode, refused.stderr) == (2, f"assay: {job} is done: it cannot be cancelled\n")


def test_a_kernel_comes_from_standard_input(files, cache_dir):
    def compare(*options):
        return subprocess.run([BINARY, "compare", "ref.cu", "-", *options], input=kernels.SCALE_STRIDED,
                              capture_output=True, text=True, cwd=files, timeout=120,
                              env={**os.environ, "ASSAY_CACHE_DIR": str(cache_dir)})
    good = compare("--io", "io.json", "--trials", "2")
    assert good.returncode == 0, good.stderr
    without = compare()
    assert without.returncode == 2 and "the kernel on standard input needs a contract" in without.stderr


def test_a_drafted_contract_is_found_beside_the_kernel(assay, files):
    drafted = assay("init", "good.cu")
    assert drafted.returncode == 0, drafted.stderr
    assert "float32 [1024]" in drafted.stdout
    assert assay("compare", "ref.cu", "good.cu", "--trials", "2").returncode == 0
    again = assay("init", "good.cu")
    assert again.returncode == 2 and "--force" in again.stderr
    assert assay("init", "good.cu", "--force").returncode == 0


@pytest.mark.parametrize("kind, files_written", [
    ("--cuda", ["reference.cu", "candidate.cu"]),
    ("--torch", ["reference.py", "candidate.py"]),
    ("--triton", ["reference.py", "candidate.py"]),
    ("--torch-cuda", ["reference.py", "candidate.py"]),
])
def test_what_init_writes_passes(assay, files, kind, files_written):
    folder = files / "start"
    written = assay("init", kind, "--directory", str(folder))
    assert written.returncode == 0, written.stderr
    done = assay("compare", *(str(folder / name) for name in files_written), "--trials", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verdict    accepted" in done.stdout and "not judged" in done.stdout


def test_watch_judges_every_saved_version(files, cache_dir):
    (files / "cand.cu").write_text(kernels.SCALE_STRIDED)
    with subprocess.Popen([BINARY, "watch", "ref.cu", "cand.cu", "--io", "io.json", "--trials", "2"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=files,
                          env={**os.environ, "ASSAY_CACHE_DIR": str(cache_dir)}) as watching:
        def next_verdict():
            return next(line.split()[1] for line in watching.stdout if line.startswith("verdict"))
        assert next_verdict() == "accepted"
        (files / "cand.cu").write_text(kernels.SCALE.replace("a *", "3 * a *"))
        assert next_verdict() == "wrong_answer"
        watching.send_signal(signal.SIGINT)
        assert watching.wait(20) == 0


def test_version_and_completions(assay):
    assert assay("--version").stdout == assay("version").stdout
    for shell in ("bash", "zsh", "fish"):
        script = assay("completions", shell)
        assert script.returncode == 0 and "compare" in script.stdout and "judge-speed" in script.stdout


TYPED = [("assay comp", ["compare", "completions"]), ("assay compare --san", ["--sanitize"]), ("assay token cr", ["create"]),
         ("assay token create --sc", ["--scope"]), ("assay completions fi", ["fish"]), ("assay completions ", ["bash", "fish", "zsh"]),
         ("assay setup py", ["python"]), ("assay compare re", ["ref.cu", "ref.py", "request.json"])]


def needs_shell(shell):
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed: its completion is not tried")


@needs_shell("bash")
@pytest.mark.parametrize("typed, offered", TYPED)
def test_bash_completes(assay, files, typed, offered):
    words = [*typed.split(), ""] if typed.endswith(" ") else typed.split()
    script = assay("completions", "bash").stdout + (
        f"COMP_WORDS=({' '.join(word or repr('') for word in words)}); COMP_CWORD={len(words) - 1}; _assay; "
        "printf '%s\\n' \"${COMPREPLY[@]}\"")
    asked = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=files)
    assert sorted(asked.stdout.split()) == offered, asked.stderr


@needs_shell("fish")
@pytest.mark.parametrize("typed, offered", TYPED)
def test_fish_completes(files, typed, offered):
    asked = subprocess.run(["fish", "--no-config", "-c", f"{BINARY} completions fish | source; complete -C '{typed}'"],
                           capture_output=True, text=True, cwd=files, env={**os.environ, "HOME": str(files)})
    found = [line.split("\t")[0] for line in asked.stdout.splitlines()]
    assert sorted(found) == offered, asked.stderr


@needs_shell("zsh")
@pytest.mark.parametrize("typed, offered", TYPED)
@pytest.mark.parametrize("installed", [False, True], ids=["sourced", "installed"])
def test_zsh_completes(files, typed, offered, installed):
    """In a terminal of its own: only there zsh completes. The words that it would add are written down instead."""
    script = files / "functions" / "_assay"
    script.parent.mkdir()
    script.write_text(subprocess.run([BINARY, "completions", "zsh"], capture_output=True, text=True, check=True).stdout)
    (files / ".zshrc").write_text(
        f"PS1='ready> '; unsetopt beep; {f'fpath=({script.parent} $fpath)' if installed else ''}\n"
        f"autoload -U compinit; compinit -u -d {files}/.dump; {'' if installed else f'source {script}'}\n"
        "compadd() { local -a hits; builtin compadd -O hits \"$@\"; print -rl -- $hits >> offered; builtin compadd \"$@\" }\n"
        "finish() { touch finished; zle kill-whole-line }; zle -N finish; bindkey '^G' finish\n")
    terminal, inside = pty.openpty()
    with subprocess.Popen(["zsh", "-i"], stdin=inside, stdout=inside, stderr=inside, cwd=files, start_new_session=True,
                          env={**os.environ, "ZDOTDIR": str(files), "HOME": str(files), "TERM": "dumb"}) as shell:
        os.close(inside)
        os.write(terminal, f"{typed}\t\x07exit\n".encode())
        shown, ends = b"", time.monotonic() + 60
        try:
            while shell.poll() is None and time.monotonic() < ends:
                if select.select([terminal], [], [], 0.2)[0]:
                    shown += os.read(terminal, 4096)
        except OSError:
            pass  # the shell has ended
        finally:
            if shell.poll() is None and time.monotonic() >= ends:
                shell.kill()
    os.close(terminal)
    words = set((files / "offered").read_text().split()) if (files / "offered").exists() else set()
    assert sorted(words) == offered, shown.decode(errors="replace")
