"""Comparisons over HTTP, one after the other and by several clients at once."""
import concurrent.futures
import http.client
import json
import sys
import time


def connect(server):
    # The very first evaluation waits for the toolchain, which a busy machine makes slowly.
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)


def evaluate(connection, body, verdict="accepted"):
    """Seconds until the answer is here, and the answer, which must have this verdict."""
    started = time.perf_counter()
    connection.request("POST", "/compare", body=body, headers={"Content-Type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    if answer.get("verdict") != verdict:
        sys.exit(f"unexpected answer: {answer}")
    return time.perf_counter() - started, answer


def throughput(server, body, count, clients):
    """Evaluations a second."""
    def client(share):
        connection = connect(server)
        for _ in range(share):
            evaluate(connection, body)

    share = count // clients
    started = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        list(pool.map(client, [share] * clients))
    return share * clients / (time.perf_counter() - started)
