"""Toolchains that earlier tests made of the same headers and compilers: making them takes a minute."""
import os
import pathlib
import shutil
import tempfile

# CMakeLists.txt has the same place: tests of modules keep theirs there too.
KEPT = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "assay" / "test-toolchains"


def _link(source, target):
    try:
        os.link(source, target)
    except OSError:  # on another file system
        shutil.copy2(source, target)


def lend(folder):
    """To a server that keeps its toolchains in `folder`, which must not exist yet."""
    folder.mkdir()
    for one in KEPT.glob("[0-9a-f]*"):
        shutil.copytree(one, folder / one.name, copy_function=_link)


def keep(folder):
    """Those that were made in `folder` since."""
    KEPT.mkdir(parents=True, exist_ok=True)
    for one in folder.iterdir():
        if (KEPT / one.name).exists():
            continue
        with tempfile.TemporaryDirectory(dir=KEPT, prefix=".new-") as staged:
            shutil.copytree(one, f"{staged}/{one.name}", copy_function=_link)
            try:
                os.rename(f"{staged}/{one.name}", KEPT / one.name)
            except OSError:  # tests beside these were faster
                pass
