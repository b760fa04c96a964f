"""Starts and stops a real server for tests, and talks to it over a real socket."""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from . import kept

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = ROOT / "build" / "assay"
START_LIMIT = 30.0


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode()

    @property
    def json(self):
        return json.loads(self.text)


class Server:
    """A server on a free port. The cache is shared, so that the toolchain is built once. With `keeps_builds` it finds
    what servers of earlier runs built."""

    def __init__(self, data_dir, cache_dir, *flags, keeps_builds=False):
        self.data_dir = pathlib.Path(data_dir)
        self.log_path = self.data_dir.parent / f"{self.data_dir.name}.log"
        drain = [] if "--drain" in flags else ["--drain", "5"]
        self.flags = ["--data-dir", str(data_dir), "--cache-dir", str(cache_dir), *drain, *flags]
        self.binary = BINARY
        self.builds = self.data_dir / "builds" / "entries" if keeps_builds else None
        self.process = None
        self.port = None

    def start(self, **kwargs):
        if self.builds is not None and not self.builds.exists():
            kept.lend(kept.BUILDS, self.builds)
        offset = self.log_path.stat().st_size if self.log_path.exists() else 0
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--port", "0", *self.flags], stdout=log, stderr=log,
                start_new_session=True, **kwargs)
        deadline = time.monotonic() + START_LIMIT
        while time.monotonic() < deadline:
            text = self.log_path.read_bytes()[offset:].decode()
            if found := re.search(r"listens on https?://[^:]+:(\d+)", text):
                self.port = int(found[1])
                return self
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}:\n{text}")
            time.sleep(0.005)
        raise RuntimeError("the server did not start")

    def stop(self, sig=signal.SIGTERM, limit=20):
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(sig)
        code = self.process.wait(limit)
        self.process = None
        if self.builds is not None:
            kept.keep(kept.BUILDS, self.builds)
        return code

    def request(self, method, path, body=None, headers=None, timeout=150):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            if body is not None and not isinstance(body, (bytes, str)):
                body = json.dumps(body)
            given = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, body=body, headers={**given, **(headers or {})})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **kwargs):
        return self.request("GET", path, **kwargs)

    def post(self, path, body, **kwargs):
        return self.request("POST", path, body, **kwargs)

    def submit(self, body, **kwargs):
        answer = self.post("/v1/jobs", body, **kwargs)
        assert answer.status in (200, 202), answer.text
        return answer.json["id"]

    def wait(self, job, limit=120, interval=0.02):
        """The finished job."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            view = self.get(f"/v1/jobs/{job}").json
            if view["state"] in ("done", "failed", "cancelled"):
                return view
            time.sleep(interval)
        raise AssertionError(f"job {job} did not end: {view}")

    def run(self, body, limit=120, interval=0.02):
        return self.wait(self.submit(body), limit, interval)

    def children(self):
        """Every process below the server, by pid."""
        return descendants(self.process.pid)

    def workers(self):
        """The workers among them: one for each device."""
        return {pid for pid in self.children() if b"\0worker\0" in command_line(pid)}

    def pythons(self):
        """The processes that run Python, by age: the first is the one that all others are forks of."""
        found = [pid for pid in self.children() if b"assay_runner.zygote" in command_line(pid)]
        return sorted(found, key=start_time)


def start_time(pid):
    """In ticks since the system started; late for a process that is gone."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return float("inf")
    return int(stat.rsplit(")", 1)[1].split()[19])


def command_line(pid):
    """The arguments of a process, each ended by a zero byte; nothing where it is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def descendants(root):
    parents = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = pathlib.Path(f"/proc/{entry}/stat").read_text()
        except OSError:
            continue
        fields = stat.rsplit(")", 1)[1].split()
        if fields[0] != "Z":
            parents[int(entry)] = int(fields[1])
    found, frontier = set(), {root}
    while frontier:
        frontier = {pid for pid, parent in parents.items() if parent in frontier} - found
        found |= frontier
    return found


def control_groups(pids):
    """Control groups that processes of these pids made."""
    wanted = tuple(f"assay-{pid}-" for pid in pids)
    return [os.path.join(folder, name) for folder, names, _ in os.walk("/sys/fs/cgroup")
            for name in names if name.startswith(wanted)]
