def attempt():
    return allowed(250, 0, -3, 0)
