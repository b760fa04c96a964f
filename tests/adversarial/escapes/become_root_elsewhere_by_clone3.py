# Its flags lie in memory, where no filter looks.
def attempt():
    return allowed(435, ctypes.create_string_buffer(88), 1)
