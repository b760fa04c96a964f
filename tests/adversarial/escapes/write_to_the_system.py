# Programs that others run.
def attempt():
    with open("/usr/escape", "w") as file:
        return file.write("x") == 1
