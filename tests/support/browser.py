"""Pages in a real browser: what is shown, what the scripts say, and a picture to keep."""
import html.parser
import os
import re
import shutil
import subprocess

from support.server import ROOT

SCREENSHOTS = ROOT / "build" / "screenshots"
PROGRAM = next((found for name in ("chromium", "chromium-browser", "google-chrome")
                if (found := shutil.which(name))), None)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--enable-logging=stderr", "--hide-scrollbars", "--window-size=1400,2000",
         "--virtual-time-budget=15000"]


class _Text(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.parts, self.skipping = [], 0

    def handle_starttag(self, tag, attrs):
        self.skipping += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.skipping -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.skipping:
            self.parts.append(data)


def text_of(document):
    """What a reader sees of a page, its scripts and styles left out."""
    reader = _Text()
    reader.feed(document)
    return re.sub(r"\s+", " ", " ".join(reader.parts))


class Page:
    """One visit: the document as the scripts left it, and the console."""

    def __init__(self, url, folder, name):
        self.picture = SCREENSHOTS / f"{name}.png"
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.picture.unlink(missing_ok=True)
        profile = f"--user-data-dir={folder / 'profile'}"
        done = self._run(profile, "--dump-dom", url)
        self.html, self.log = done.stdout, done.stderr
        self.log += self._run(profile, f"--screenshot={self.picture}", url).stderr

    @staticmethod
    def _run(*arguments):
        done = subprocess.run([PROGRAM, *FLAGS, *map(str, arguments)], capture_output=True, text=True,
                              timeout=240, env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": "none:"})
        assert done.returncode == 0, done.stderr
        return done

    @property
    def text(self):
        return text_of(self.html)

    def console(self):
        """What the page's scripts wrote, mistakes that nobody caught included."""
        return [line for line in self.log.splitlines() if ":CONSOLE" in line]
