# bpf
def attempt():
    return allowed(321, 0, None, 0)
