# perf_event_open
def attempt():
    return allowed(298, None, 0, -1, -1, 0)
