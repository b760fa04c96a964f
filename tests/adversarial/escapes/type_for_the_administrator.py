# TIOCSTI pushes characters into a terminal.
def attempt():
    return libc.ioctl(0, 0x5412, b"x") == 0 or ctypes.get_errno() not in REFUSALS + (errno.ENOTTY,)
