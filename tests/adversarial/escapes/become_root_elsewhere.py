# A user namespace gives every capability inside it.
def attempt():
    return allowed(272, 0x10000000)
