# process_vm_readv
def attempt():
    return allowed(310, os.getppid(), None, 0, None, 0, 0)
