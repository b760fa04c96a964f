# sysrq
def attempt():
    with open("/proc/sysrq-trigger", "w") as file:
        file.write("h")
    return True
