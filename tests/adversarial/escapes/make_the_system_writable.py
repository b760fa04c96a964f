# MS_REMOUNT of /usr
def attempt():
    return allowed(165, b"none", b"/usr", b"none", 32 | 4096, None)
