def attempt():
    return readable("/etc/shadow")
