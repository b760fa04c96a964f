def attempt():
    return allowed(246, 0, 0, None, 0)
