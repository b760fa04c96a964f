# pidfd_getfd
def attempt():
    return allowed(438, 0, 0, 0)
