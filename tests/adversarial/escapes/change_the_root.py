# pivot_root
def attempt():
    return allowed(155, b"/tmp", b"/tmp")
