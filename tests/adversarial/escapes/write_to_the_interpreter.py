# The next kernel would import it.
def attempt():
    with open(os.path.join(os.path.dirname(os.__file__), "escape.py"), "w") as file:
        return file.write("x") == 1
