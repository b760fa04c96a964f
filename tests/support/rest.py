"""How to see that a server is at rest again after it judged something hostile."""
import time

# Seconds. Those that must run out of time get little; the others more than a busy machine needs.
SHORT, LONG = 5, 100


def await_processes(server, at_most, limit=60.0):
    """Until used runners are gone. Waits long only where it fails."""
    deadline = time.monotonic() + limit
    while (count := len(server.children())) > at_most:
        if time.monotonic() > deadline:
            return count
        time.sleep(0.02)
    return count


def settled(server):
    """How many processes it has once its spares are there: as many for a second."""
    count, since = None, 0.0
    while count is None or time.monotonic() - since < 1:
        now = len(server.children())
        if now != count:
            count, since = now, time.monotonic()
        time.sleep(0.05)
    return count


def seconds_on_the_device(job):
    """From its lease to its end, by the server's own clock."""
    return sum(phase["duration_ms"] for phase in job["phases"]
               if phase["state"] in ("checking", "timing")) / 1000
