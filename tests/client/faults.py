"""A real proxy that breaks connections: what a network, a restart or a busy server does."""
import socket
import threading


class Proxy:
    """Handles its connections by the plan, one step each, and passes on those behind its end."""

    def __init__(self, port, plan=()):
        self.target = ("127.0.0.1", port)
        self.plan = list(plan)
        self.requests = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in accept
        self._listener.close()

    def header(self, index, name):
        """Of the request with this index; None if absent."""
        head = self.requests[index].split(b"\r\n\r\n")[0].decode()
        for line in head.split("\r\n")[1:]:
            key, _, value = line.partition(": ")
            if key.lower() == name.lower():
                return value
        return None

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            step = self.plan.pop(0) if self.plan else passed_on
            threading.Thread(target=self._serve, args=(connection, step), daemon=True).start()

    def _serve(self, connection, step):
        with connection:
            try:
                request = read_request(connection)
            except ConnectionError:
                return
            self.requests.append(request)
            step(connection, request, self.target)


def receive(connection):
    if data := connection.recv(65536):
        return data
    raise ConnectionError("the client left in the middle of a request")


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += receive(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        body += receive(connection)
    return head + b"\r\n\r\n" + body


def pieces(request, target):
    with socket.create_connection(target) as upstream:
        upstream.sendall(request)
        while piece := upstream.recv(65536):
            yield piece


def passed_on(connection, request, target):
    for piece in pieces(request, target):
        connection.sendall(piece)


def dropped(connection, request, target):
    """The request arrives nowhere."""


def answer_lost(connection, request, target):
    """The server does its work, and nobody hears of it."""
    for _ in pieces(request, target):
        pass


def cut_after(count, mark=b"\n\n"):
    """The answer breaks off behind its `count`-th mark: an event ends with an empty line."""
    def step(connection, request, target):
        answer = b""
        for piece in pieces(request, target):
            answer += piece
            if answer.count(mark) >= count:
                break
        connection.sendall(mark.join(answer.split(mark)[:count]) + mark)
    return step


def says(status, body="{}", **headers):
    """Another server's answer."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())

    def step(connection, request, target):
        connection.sendall(f"HTTP/1.1 {status} Some\r\n{lines}Content-Length: {len(body)}\r\n\r\n"
                           f"{body}".encode())
    return step


def silent(seconds):
    def step(connection, request, target):
        connection.settimeout(seconds)
        try:
            connection.recv(1)  # until the client leaves
        except OSError:
            pass
    return step
