# fsopen, open_tree
def attempt():
    return allowed(430, b"tmpfs", 0) or allowed(428, -100, b"/", 1)
