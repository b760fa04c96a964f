"""What earlier runs of the tests made, and later ones need not make again: toolchains of the same headers and
compilers, and builds of the same sources by the same code. Both have names that say what they were made of."""
import os
import pathlib
import shutil
import tempfile

_CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "assay"
# CMakeLists.txt has the same place: tests of modules keep theirs there too.
TOOLCHAINS = _CACHE / "test-toolchains"
BUILDS = _CACHE / "test-builds"


def _link(source, target):
    try:
        os.link(source, target)
    except OSError:  # on another file system
        shutil.copy2(source, target)


def lend(kept, folder):
    """All that is kept, in `folder`, which must not exist yet."""
    folder.mkdir(parents=True)
    for one in kept.glob("[0-9a-f]*"):
        shutil.copytree(one, folder / one.name, copy_function=_link)


def keep(kept, folder):
    """What was made in `folder` since it was lent."""
    kept.mkdir(parents=True, exist_ok=True)
    for one in folder.glob("[0-9a-f]*"):
        if (kept / one.name).exists():
            continue
        with tempfile.TemporaryDirectory(dir=kept, prefix=".new-") as staged:
            shutil.copytree(one, f"{staged}/{one.name}", copy_function=_link)
            try:
                os.rename(f"{staged}/{one.name}", kept / one.name)
            except OSError:  # tests beside these were faster
                pass


def lend_cache(folder):
    """To commands and servers whose --cache-dir `folder` is."""
    lend(TOOLCHAINS, folder / "toolchains")
    lend(BUILDS, folder / "builds" / "entries")


def keep_cache(folder):
    keep(TOOLCHAINS, folder / "toolchains")
    keep(BUILDS, folder / "builds" / "entries")
