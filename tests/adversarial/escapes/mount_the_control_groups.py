# Their release agent runs on the host.
def attempt():
    os.makedirs("/tmp/groups", exist_ok=True)
    return any(allowed(165, b"none", b"/tmp/groups", kind, 0, None) for kind in (b"cgroup", b"cgroup2"))
