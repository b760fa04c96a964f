# setns
def attempt():
    return allowed(308, os.open(f"/proc/{os.getppid()}/ns/mnt", os.O_RDONLY), 0)
