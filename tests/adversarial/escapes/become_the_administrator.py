def attempt():
    os.setuid(0)
    return os.getuid() == 0
