"""Who may come in: tokens, what each may do and use, and what is put down of it."""
import json
import os
import socket
import subprocess
import time

import pytest

from support import kernels
from support.server import BINARY

ENDLESS = "__global__ void f(const float*, float* y, float, int) { while (true) y[0] += 1; }"

PARTS = ["user_namespace", "mount_namespace", "pid_namespace", "network_namespace", "ipc_namespace",
         "uts_namespace", "private_proc", "seccomp", "cgroup_memory", "cgroup_pids"]


def token(data_dir, *arguments):
    """What `assay token` prints."""
    done = subprocess.run([BINARY, "token", *arguments, "--data-dir", str(data_dir)],
                          capture_output=True, text=True, check=True)
    return done.stdout.strip()


def create(data_dir, name, scope, *limits):
    return token(data_dir, "create", "--name", name, "--scope", scope, *limits)


def as_(secret):
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def guarded(fresh_server):
    """A server that wants tokens, and those of four people."""
    server = fresh_server()
    people = {"ann": create(server.data_dir, "ann", "submit"),
              "bob": create(server.data_dir, "bob", "submit"),
              "eve": create(server.data_dir, "eve", "read"),
              "root": create(server.data_dir, "root", "admin")}
    return server.start(), people


def test_first_token_is_said_to_need_another_start(tmp_path):
    def told(name):
        return subprocess.run([BINARY, "token", "create", "--name", name, "--scope", "submit", "--data-dir", tmp_path / "data"],
                              capture_output=True, text=True, check=True).stderr
    assert "asks for tokens only after it has been started again" in told("ann")
    assert "started again" not in told("bob")


def test_nobody_comes_in_without_a_token(guarded):
    server, _ = guarded
    for method, path, body in [("GET", "/v1/jobs", None), ("POST", "/v1/jobs", kernels.evaluate()),
                               ("POST", "/compare", kernels.compare()), ("GET", "/job/x", None),
                               ("GET", "/metrics", None), ("GET", "/v1/devices", None),
                               ("POST", "/admin/cleanup-jobs", {}), ("DELETE", "/v1/jobs/x", None)]:
        for headers in ({}, as_("assay_wrong"), {"Authorization": "Basic eA=="}):
            answer = server.request(method, path, body, headers=headers)
            assert answer.status == 401, (method, path)
            assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert server.get("/health").status == 200
    assert server.get("/v1/jobs").json["error"]["code"] == "unauthenticated"


def test_jobs_belong_to_who_submitted_them(guarded):
    server, people = guarded
    ann, bob, eve, root = (as_(people[name]) for name in ("ann", "bob", "eve", "root"))
    job = server.submit(kernels.evaluate(num_trials=1), headers=ann)
    seen = {name: server.get(f"/v1/jobs/{job}", headers=who).status
            for name, who in {"ann": ann, "bob": bob, "eve": eve, "root": root}.items()}
    assert seen == {"ann": 200, "bob": 404, "eve": 200, "root": 200}
    listed = {name: [entry["id"] for entry in server.get("/v1/jobs", headers=who).json["jobs"]]
              for name, who in {"ann": ann, "bob": bob, "eve": eve}.items()}
    assert listed == {"ann": [job], "bob": [], "eve": [job]}
    for path in (f"/v1/jobs/{job}/events", f"/v1/jobs/{job}/artifacts/x", f"/job/{job}"):
        assert server.get(path, headers=bob).status == 404, path
    assert server.get(f"/v1/jobs/{job}/events", headers=ann).status == 200
    assert server.request("DELETE", f"/v1/jobs/{job}", headers=bob).status == 404
    assert server.request("DELETE", f"/v1/jobs/{job}", headers=eve).status == 403


def test_scopes_say_what_one_may_do(guarded):
    server, people = guarded
    assert server.post("/v1/jobs", kernels.evaluate(), headers=as_(people["eve"])).status == 403
    assert server.post("/admin/cleanup-jobs", {}, headers=as_(people["ann"])).status == 403
    assert server.post("/admin/cleanup-jobs", {}, headers=as_(people["root"])).status == 200


def test_quotas_are_answered_with_when_to_come_back(fresh_server):
    server = fresh_server()
    rate = create(server.data_dir, "rate", "submit", "--rate", "2")
    few = create(server.data_dir, "few", "submit", "--concurrent", "1")
    busy = create(server.data_dir, "busy", "submit", "--gpu-seconds", "1")
    server.start()
    statuses = [server.post("/v1/jobs", kernels.evaluate(num_trials=i + 1), headers=as_(rate)).status
                for i in range(3)]
    assert statuses == [202, 202, 429]
    full = server.post("/v1/jobs", kernels.evaluate(), headers=as_(rate))
    assert 1 <= int(full.headers["Retry-After"]) <= 60 and "2 jobs a minute" in full.text
    endless = {**kernels.evaluate(ENDLESS), "timeout": 5}
    job = server.submit(endless, headers=as_(few))
    full = server.post("/compare", kernels.compare(), headers=as_(few))
    assert full.status == 429 and int(full.headers["Retry-After"]) >= 1
    server.request("DELETE", f"/v1/jobs/{job}", headers=as_(few))
    assert run(server, endless, busy)["verdict"] == "timed_out"
    full = server.post("/v1/jobs", kernels.evaluate(), headers=as_(busy))
    assert full.status == 429 and int(full.headers["Retry-After"]) > 3600
    server.process.kill()
    server.process.wait()
    server.start()
    assert server.post("/v1/jobs", kernels.evaluate(), headers=as_(busy)).status == 429, "kept"


def run(server, body, secret):
    job = server.submit(body, headers=as_(secret))
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        view = server.get(f"/v1/jobs/{job}", headers=as_(secret)).json
        if view["state"] in ("done", "failed", "cancelled"):
            return view
        time.sleep(0.05)
    raise AssertionError(view)


def test_tokens_change_while_the_server_runs(guarded):
    server, people = guarded
    new = create(server.data_dir, "new", "submit")
    wait_for(lambda: server.get("/v1/jobs", headers=as_(new)).status == 200)
    token(server.data_dir, "revoke", "ann")
    wait_for(lambda: server.get("/v1/jobs", headers=as_(people["ann"])).status == 401)
    listed = token(server.data_dir, "list")
    assert "new" in listed and "ann" not in listed and new not in listed


def test_token_that_is_revoked_during_a_request_gains_nothing(guarded):
    server, people = guarded
    body = json.dumps(kernels.evaluate(num_trials=1)).encode()
    head = (f"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {people['ann']}\r\nContent-Length: {len(body)}\r\n\r\n")
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
        peer.sendall(head.encode() + body[:1])
        wait_for(lambda: server.get("/v1/jobs", headers=as_(people["ann"])).status == 200)
        token(server.data_dir, "revoke", "ann")
        wait_for(lambda: server.get("/v1/jobs", headers=as_(people["ann"])).status == 401)
        peer.sendall(body[1:])
        assert peer.recv(4096).startswith(b"HTTP/1.1 401 ")
    assert server.get("/v1/jobs", headers=as_(people["root"])).json["jobs"] == []


def test_stream_of_a_token_that_is_revoked_tells_nothing_more(guarded):
    server, people = guarded
    job = server.submit(kernels.evaluate(ENDLESS, timeout=60), headers=as_(people["ann"]))
    wait_for(lambda: server.get(f"/v1/jobs/{job}", headers=as_(people["ann"])).json["state"] == "checking")
    head = (f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {people['ann']}\r\n\r\n")
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
        peer.sendall(head.encode())
        seen = b""
        while b"checking" not in seen:
            seen += peer.recv(4096)
        token(server.data_dir, "revoke", "ann")
        wait_for(lambda: server.get("/v1/jobs", headers=as_(people["ann"])).status == 401)
        server.request("DELETE", f"/v1/jobs/{job}", headers=as_(people["root"]))
        rest = b""
        while some := peer.recv(4096):
            rest += some
        assert b"cancelled" not in rest


def test_what_people_do_is_put_down(guarded):
    server, people = guarded
    job = server.submit(kernels.evaluate(num_trials=1), headers=as_(people["ann"]))
    server.get("/v1/jobs")
    text = (server.data_dir / "audit.log").read_text()
    assert f"submit by ann (" in text and job in text
    assert "refused by nobody" in text and "GET /v1/jobs" in text
    assert people["ann"] not in text
    assert os.stat(server.data_dir / "audit.log").st_mode & 0o077 == 0


def test_command_line_sends_the_token(guarded, tmp_path):
    server, people = guarded
    url = ["--server", f"http://127.0.0.1:{server.port}"]
    request = tmp_path / "request.json"
    request.write_text(json.dumps(kernels.evaluate(num_trials=1)))
    environment = {**os.environ, "ASSAY_TOKEN": people["ann"]}
    done = subprocess.run([BINARY, "evaluate", str(request), *url, "--json"], capture_output=True,
                          text=True, env=environment, check=True)
    assert json.loads(done.stdout)["verdict"] == "accepted"
    listed = subprocess.run([BINARY, "jobs", *url, "--token", people["ann"]], capture_output=True,
                            text=True, check=True)
    assert json.loads(done.stdout)["id"][:8] in listed.stdout
    refused = subprocess.run([BINARY, "jobs", *url], capture_output=True, text=True)
    assert refused.returncode != 0 and "token" in refused.stderr


def test_beyond_loopback_a_server_wants_tokens(fresh_server):
    with pytest.raises(RuntimeError, match="assay token create"):
        fresh_server("--host", "0.0.0.0").start()
    weak = ",".join(f"{inner}{part}" for inner in ("", "python.") for part in PARTS)
    server = fresh_server("--host", "0.0.0.0", "--insecure", "--allow-weak-jail", weak).start()
    assert server.get("/v1/jobs").status == 200


def wait_for(condition, limit=10):
    deadline = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
