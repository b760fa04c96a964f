"""Those who use the server: some behave, some do not. None of them knows what is broken on purpose."""
import http.client
import json
import random
import socket
import struct
import threading
import time

from chaos import jobs

HEADERS = {"Content-Type": "application/json"}


class Ledger:
    """What the server has promised: every job that it answered for."""

    def __init__(self):
        self.lock = threading.Lock()
        self.orders = {}    # job id -> order
        self.refused = {}   # status -> count
        self.unanswered = 0
        self.number = 0

    def next_number(self):
        with self.lock:
            self.number += 1
            return self.number

    def promise(self, job, order):
        with self.lock:
            self.orders[job] = order

    def refuse(self, status):
        with self.lock:
            self.refused[status] = self.refused.get(status, 0) + 1

    def some(self, rng):
        with self.lock:
            return rng.choice(sorted(self.orders)) if self.orders else None


def submit(server, ledger, stop, rng, with_python, most):
    """Keeps a number of jobs going. A submission without an answer is repeated under its key."""
    while not stop.is_set():
        number = ledger.next_number()
        order = jobs.order(number, rng, with_python)
        while not stop.is_set():
            try:
                answer = server.request("POST", "/v1/jobs", order.body, timeout=20,
                                        headers={**HEADERS, "Idempotency-Key": f"chaos-{number}"})
            except (OSError, http.client.HTTPException):
                ledger.unanswered += 1
                stop.wait(0.2)
                continue
            if answer.status in (200, 202):
                ledger.promise(answer.json["id"], order)
                break
            ledger.refuse(answer.status)
            stop.wait(0.5)
        while not stop.is_set() and unfinished(server) > most:
            stop.wait(0.2)


def unfinished(server):
    """How many jobs wait or are worked on, up to a hundred."""
    states = "&state=".join(("queued", "building", "waiting", "checking", "timing"))
    try:
        return len(server.get(f"/v1/jobs?limit=100&state={states}", timeout=20).json["jobs"])
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        return 0


def follow(server, ledger, stop, rng, holes):
    """Follows one job after another to its end, over every break: no event may be missing or twice."""
    while not stop.is_set():
        job = ledger.some(rng)
        if job is None:
            stop.wait(0.2)
            continue
        seen = []
        while not stop.is_set():
            try:
                ended = read_events(server, job, seen)
            except (OSError, http.client.HTTPException):
                stop.wait(0.2)
                continue
            if ended:
                break
        if seen != list(range(1, len(seen) + 1)):
            holes.append((job, seen))


def read_events(server, job, seen):
    """Adds the numbers of events behind those that were seen. True once the job has ended."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.request("GET", f"/v1/jobs/{job}/events", headers={"Last-Event-ID": str(seen[-1] if seen else 0)})
        response = connection.getresponse()
        if response.status != 200:
            return False
        number, ended = None, False
        for line in response:
            if line.startswith(b"id:"):
                number = int(line[3:])
            elif line.startswith(b"data:"):
                seen.append(number)
                ended = json.loads(line[5:])["state"] in ("done", "failed", "cancelled")
        return ended
    finally:
        connection.close()


def misbehave(server, ledger, stop, rng):
    """Uploads that stop half way, readers that do not read, connections that are cut."""
    while not stop.is_set():
        try:
            peer = socket.create_connection(("127.0.0.1", server.port), timeout=5)
        except OSError:
            stop.wait(0.2)
            continue
        with peer:
            try:
                rng.choice((half_an_upload, unread_stream, cut))(peer, ledger, rng)
                stop.wait(rng.uniform(0.1, 3))
                if rng.random() < 0.5:  # a reset instead of an end
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError:
                pass


def half_an_upload(peer, _, rng):
    peer.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 2000000\r\n\r\n" + b"{" * rng.randrange(100_000))


def unread_stream(peer, ledger, rng):
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    job = ledger.some(rng) or "none"
    peer.sendall(f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())


def cut(peer, *_):
    peer.sendall(b"GET /v1/jobs?limit=100 HTTP/1.1\r\nHost: localhost\r\n\r\n")


def start(server, ledger, stop, seed, options, holes):
    """Threads of all of them."""
    def thread(target, number, *arguments):
        rng = random.Random(f"{seed}/{target.__name__}/{number}")
        made = threading.Thread(target=target, args=(server, ledger, stop, rng, *arguments), daemon=True)
        made.start()
        return made

    threads = [thread(submit, i, options.python, options.waiting) for i in range(options.submitters)]
    threads += [thread(follow, i, holes) for i in range(options.followers)]
    threads += [thread(misbehave, i) for i in range(options.rude)]
    return threads


def probe(server, stop, pauses, latencies):
    """How long /health takes while the server is there and nobody has stopped it."""
    while not stop.is_set():
        began, moment = time.monotonic(), pauses.count
        try:
            answered = server.get("/health", timeout=20).status == 200
        except (OSError, http.client.HTTPException):
            answered = False
        if answered and not pauses.now and pauses.count == moment:
            latencies.append(time.monotonic() - began)
        stop.wait(0.05)
