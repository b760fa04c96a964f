def attempt():
    return allowed(164, None, ctypes.create_string_buffer(8))
