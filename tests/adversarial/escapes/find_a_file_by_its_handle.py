# open_by_handle_at knows no roots.
def attempt():
    return allowed(304, -100, ctypes.create_string_buffer(128), 0)
