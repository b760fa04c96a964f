# Programs of root that give their rights to who starts them.
def attempt():
    return libc.prctl(39, 0, 0, 0, 0) != 1
