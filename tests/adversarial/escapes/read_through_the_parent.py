def attempt():
    return readable(f"/proc/{os.getppid()}/root" + SECRET) or readable(f"/proc/{os.getppid()}/cwd/..{SECRET}")
