"""Makes the toolchains that tests use, before several processes make the same ones at the same time."""
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from support import kept, server as server_module  # noqa: E402

LIMIT = 600  # seconds


def wait_until_ready(server):
    deadline = time.monotonic() + LIMIT
    while not (health := server.get("/health").json)["ready"]:
        if time.monotonic() > deadline:
            sys.exit(f"after {LIMIT} s the server still prepares: {', '.join(health['preparing'])}")
        time.sleep(0.1)


def main():
    with tempfile.TemporaryDirectory(prefix="assay-toolchains-") as name:
        folder = pathlib.Path(name)
        toolchains = folder / "cache" / "toolchains"
        kept.lend(kept.TOOLCHAINS, toolchains)
        server = server_module.Server(folder / "data", folder / "cache").start()
        try:
            wait_until_ready(server)
        finally:
            server.stop()
        kept.keep(kept.TOOLCHAINS, toolchains)


if __name__ == "__main__":
    main()
