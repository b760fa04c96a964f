"""What the server does where the kernel forbids a part of the jail, and where it forbids none."""
import collections
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import time

import pytest

from support import kernels, python_kernels
from support.kernel import without
from support.server import BINARY

NO_MOUNTS = without("open_tree")


def doctor(**kwargs):
    run = subprocess.run([BINARY, "doctor", "--json"], check=True, capture_output=True, **kwargs)
    return {check["check"]: check for check in json.loads(run.stdout)["checks"]}


def test_doctor_says_what_the_kernel_forbids_and_what_that_costs():
    part = doctor(preexec_fn=NO_MOUNTS)["jail: mount_namespace"]
    assert not part["ok"]
    assert part["detail"] == "mount in a namespace: Function not implemented"
    assert "see this machine's files" in part["cost"]


def test_server_that_requires_the_whole_jail_refuses_to_start_without_a_part(tmp_path):
    run = subprocess.run([BINARY, "serve", "--port", "0", "--data-dir", tmp_path, "--require-jail"],
                         capture_output=True, text=True, timeout=30, preexec_fn=NO_MOUNTS)
    assert run.returncode == 3
    assert "the jail must be complete" in run.stderr
    assert "does not allow mount_namespace" in run.stderr
    assert "--allow-weak-jail mount_namespace" in run.stderr and "--cap-add SYS_ADMIN" in run.stderr
    assert "mount_namespace is not available (mount in a namespace: Function not implemented)" in run.stderr
    assert "listens" not in run.stderr


def test_command_line_that_requires_the_whole_jail_runs_nothing_without_a_part(tmp_path):
    request = tmp_path / "request.json"
    request.write_text(json.dumps(kernels.evaluate()))
    run = subprocess.run([BINARY, "evaluate", request, "--require-jail"], capture_output=True,
                         text=True, timeout=30, preexec_fn=NO_MOUNTS)
    assert (run.returncode, run.stdout) == (3, "")
    assert "This system does not allow mount_namespace" in run.stderr


def test_worker_that_requires_the_whole_jail_takes_no_work_without_a_part():
    """A worker looks for itself: its control group is not the server's."""
    channel = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [BINARY, "worker", "--runner-memory", str(2**30), "--require-jail"]

    def prepare():
        os.dup2(channel[1].fileno(), 3)
        NO_MOUNTS()

    run = subprocess.run(command, capture_output=True, text=True, timeout=30, preexec_fn=prepare,
                         close_fds=False)
    assert run.returncode == 1
    assert "--require-jail: mount_namespace is not available" in run.stderr


def test_server_that_does_not_require_it_says_what_is_missing_and_works(fresh_server):
    server = fresh_server().start(preexec_fn=without("seccomp"))
    assert "seccomp is not available" in server.log_path.read_text()
    assert server.run(kernels.evaluate(num_trials=1))["verdict"] == "accepted"


def test_server_that_requires_the_whole_jail_works_where_it_is_whole(fresh_server):
    if missing := [name for name, check in doctor().items() if name.startswith("jail:") and not check["ok"]]:
        pytest.skip(f"this system does not allow {missing}")
    server = fresh_server("--require-jail").start()
    assert server.run(kernels.evaluate(num_trials=1))["verdict"] == "accepted"


def missing_here():
    """Parts that this system does not allow anyway, the inner jail's too."""
    outer = [name.removeprefix("jail: ") for name, check in doctor().items()
             if name.startswith("jail:") and not check["ok"]]
    return outer + [f"python.{name}" for name in outer] + ["python.private_proc"]


def test_server_that_others_can_reach_starts_only_with_a_whole_jail(fresh_server):
    beyond = ["--host", "0.0.0.0", "--insecure", "--allow-weak-jail"]
    given_up = ["user_namespace" if not missing_here() else ",".join(missing_here())]
    with pytest.raises(RuntimeError, match="the jail must be complete.*mount_namespace"):
        fresh_server(*beyond, *given_up).start(preexec_fn=NO_MOUNTS)
    without_mounts = ",".join([*given_up, "mount_namespace", "private_proc", "python.mount_namespace",
                               "python.private_proc"])
    server = fresh_server(*beyond, without_mounts).start(preexec_fn=NO_MOUNTS)
    assert server.get("/health").json["jail"]["complete"] is False


def test_part_given_up_must_have_a_name_that_there_is(fresh_server):
    with pytest.raises(RuntimeError, match="there is no part 'door'; the parts are user_namespace"):
        fresh_server("--allow-weak-jail", "door").start()


def test_missing_parts_are_shown_in_health_and_results(fresh_server):
    server = fresh_server().start(preexec_fn=without("seccomp"))
    jail = server.get("/health").json["jail"]
    assert jail["complete"] is False and "seccomp" in jail["missing"]
    result = server.run(kernels.evaluate(num_trials=1))["result"]
    assert result["provenance"]["jail_missing"] == jail["missing"]


def user_of(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has users to give")
def test_each_python_runner_has_a_user_that_no_other_process_has(fresh_server):
    if "user_namespace" in missing_here():
        pytest.skip("this system does not allow user namespaces")
    server = fresh_server("--spare-runners", "4").start()
    assert server.run(python_kernels.compare(*[python_kernels.code(python_kernels.ADD_ONE, "torch")] * 2,
                                             num_trials=1))["state"] == "done"
    deadline = time.monotonic() + 30
    while True:
        found = collections.defaultdict(set)
        for pid in server.pythons():
            with contextlib.suppress(OSError):  # it has ended meanwhile
                found[user_of(pid)].add(pid)
        runners = {user: pids for user, pids in found.items() if user >= 0x7b000000}
        # The init of each and what it has started; one has the number that its user is named for.
        whole = [user for user, pids in runners.items() if user - 0x7b000000 in pids and len(pids) == 2]
        if len(whole) >= 4:
            break
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
    others = set(found) - set(runners)
    assert others and all(0x7a550000 <= user < 0x7b000000 for user in others), "those that they are forks of"


def test_the_worker_of_the_processor_has_a_limit_of_its_own_on_memory(server):
    server.run(kernels.compare(num_trials=1))
    machine = int(open("/proc/meminfo").readline().split()[1]) * 1024
    for worker in server.workers():
        limits = open(f"/proc/{worker}/limits").read()
        (line,) = [line for line in limits.splitlines() if line.startswith("Max data size")]
        assert 0 < int(line.split()[3]) <= machine * 3 // 4
