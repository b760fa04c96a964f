# io_uring goes around filters of system calls.
def attempt():
    return allowed(425, 1, ctypes.create_string_buffer(120))
