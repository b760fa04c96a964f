def attempt():
    return allowed(101, 16, os.getppid(), 0, 0)
