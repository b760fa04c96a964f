def attempt():
    return any(b"\0serve\0" in open(f"/proc/{pid}/cmdline", "rb").read()
               for pid in os.listdir("/proc") if pid.isdigit())
