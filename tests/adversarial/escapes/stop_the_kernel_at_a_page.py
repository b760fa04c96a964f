# userfaultfd widens races.
def attempt():
    return allowed(323, 0)
