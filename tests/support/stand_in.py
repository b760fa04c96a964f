"""Programs that stand in for tools of a GPU's maker: each is a file of this folder with a line that says how it ends."""
import pathlib


def write(module, path, mode):
    """A copy of the module's program that ends in the given way."""
    text = pathlib.Path(module.__file__).read_text()
    right = f'MODE = "{module.MODE}"'
    assert text.count(right) == 1, right
    path.write_text("#!/usr/bin/python3\n" + text.replace(right, f'MODE = "{mode}"'))
    path.chmod(0o755)
    return path
