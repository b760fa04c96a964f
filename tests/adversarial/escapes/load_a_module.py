def attempt():
    return allowed(175, None, 0, b"")
