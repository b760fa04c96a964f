# clone with CLONE_NEWUSER
def attempt():
    child = libc.syscall(56, 0x10000000 | 17, None, None, None, 0)
    if child == 0:
        os._exit(0)
    return child > 0
