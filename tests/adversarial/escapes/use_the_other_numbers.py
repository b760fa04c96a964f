# The calls of x32 have numbers of their own.
def attempt():
    return allowed(0x40000000 | 101, 0, 0, 0, 0)
