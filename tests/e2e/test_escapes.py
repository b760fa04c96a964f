"""Attempts to leave the jail: none succeeds, and those that anybody could make do succeed outside."""
import json
import subprocess
import sys

from support import escapes

# What needs no rights: outside of a jail each of them comes out.
ANYBODY = {"read_a_file_of_the_host", "see_the_server", "call_the_server", "gain_by_a_program", "write_without_end",
           "ask_by_rings", "become_root_elsewhere_by_clone3"}

NATIVE_ANYBODY = {"read a file of the host", "call the server", "gain by a program", "ask by rings",
                  "become root elsewhere by clone3", "talk to the kernel by netlink"}


def secret_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("what the server's user may read")
    return secret


def test_no_attempt_leaves_the_jail(server, tmp_path):
    assert len(escapes.FILES) >= 30
    job = server.run(escapes.request(secret_file(tmp_path), server.port))
    assert escapes.verdict(job) == ("accepted", ""), job


def test_attempts_are_real_ones(server, tmp_path):
    program = escapes.tools(secret_file(tmp_path), server.port) + (
        "import json\nprint(json.dumps([comes_out(source) for source in ATTEMPTS]))")
    chosen = [escapes.NAMES.index(name) for name in sorted(ANYBODY)]
    program = program.replace("for source in ATTEMPTS", f"for source in [ATTEMPTS[i] for i in {chosen}]")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    came_out = dict(zip(sorted(ANYBODY), json.loads(done.stdout)))
    assert all(came_out.values()), came_out


def test_no_attempt_of_native_code_leaves_the_jail(server, tmp_path):
    assert len(escapes.NATIVE_NAMES) >= 30
    job = server.run(escapes.native_request(secret_file(tmp_path), server.port, num_trials=5))
    assert escapes.verdict(job, escapes.NATIVE_NAMES) == ("accepted", ""), job


def test_attempts_of_native_code_are_real_ones(server, tmp_path):
    source = tmp_path / "attempts.cpp"
    source.write_text(escapes.native_source(secret_file(tmp_path), server.port, escapes.NATIVE_PROGRAM))
    subprocess.run(["g++", "-std=c++20", "-w", "-o", tmp_path / "attempts", source], check=True)
    # Those alone: the others would harm a machine where root runs the tests.
    done = subprocess.run([tmp_path / "attempts", *sorted(NATIVE_ANYBODY)], capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()) == NATIVE_ANYBODY
