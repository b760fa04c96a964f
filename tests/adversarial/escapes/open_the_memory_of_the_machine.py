def attempt():
    return readable("/dev/mem") or readable("/dev/kmem") or readable("/proc/kcore")
