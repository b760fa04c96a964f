# The root of process 1 may be another than ours.
def attempt():
    return readable("/proc/1/root" + SECRET)
