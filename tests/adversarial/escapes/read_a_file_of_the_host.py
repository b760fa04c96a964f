# A file that the server's user may read.
def attempt():
    return readable(SECRET)
