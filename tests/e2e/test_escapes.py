"""Attempts to leave the jail: none succeeds, and those that anybody could make do succeed outside."""
import json
import subprocess
import sys

from support import escapes

# What needs no rights: outside of a jail each of them comes out.
ANYBODY = {"read_a_file_of_the_host", "see_the_server", "call_the_server", "gain_by_a_program", "write_without_end",
           "ask_by_rings", "become_root_elsewhere_by_clone3"}


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
