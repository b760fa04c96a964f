"""The cheats under tests/adversarial/cheats: a folder for each task, with its reference, its honest twins
and the kernels that only seem to do it."""
import dataclasses
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "adversarial" / "cheats"
TYPES = {".cu": "cuda", ".py": "torch"}


@dataclasses.dataclass(frozen=True)
class Cheat:
    path: pathlib.Path

    def says(self, key, default=""):
        """What the head of the file says behind `# key:`."""
        for line in self.path.read_text().splitlines()[:6]:
            name, colon, value = line.lstrip("/# ").partition(":")
            if colon and name == key:
                return value.strip()
        return default

    @property
    def name(self):
        return f"{self.task}/{self.path.name}"

    @property
    def task(self):
        return self.path.parent.name

    @property
    def verdict(self):
        return self.says("verdict")

    @property
    def rule(self):
        return self.says("rule")

    @property
    def kind(self):
        """Its class in the catalogue of public cheats."""
        return self.says("class")

    @property
    def is_for_cpu_alone(self):
        """It attacks the clock of a runner, which on a GPU is elsewhere, or what is told apart on cpu alone: calls of
        kernels that keep state. On a GPU the time of these is only claimed."""
        return self.says("on") == "cpu"

    @property
    def is_honest(self):
        return self.path.name.startswith("honest")

    def request(self, **options):
        """A body of /v1/jobs without a tolerance of its own."""
        reference = {"source_code": (self.path.parent / "reference.py").read_text(), "kernel_type": "torch"}
        candidate = {"source_code": self.path.read_text(),
                     "kernel_type": self.says("type", TYPES[self.path.suffix])}
        if candidate["kernel_type"] == "cuda" or self.says("fills") == "its argument":
            contract = json.loads((self.path.parent / "cuda.json").read_text())
            reference = {"source_code": (self.path.parent / "reference_function.py").read_text(),
                         "kernel_type": "torch", "io": {"args": contract["inputs"]},
                         "metadata": {"function_name": "reference"}}
            candidate["io"] = {"args": contract["inputs"] + contract["others"], "launch": contract["launch"]}
        return {"reference": reference, "candidate": candidate, "num_trials": 20, "warmup": 2,
                "timeout": 100, **options}


@dataclasses.dataclass(frozen=True)
class Caught:
    verdict: str
    rule: str
    reason: str

    @staticmethod
    def of(job):
        assert job["state"] == "done", job
        result = job["result"]
        return Caught(job["verdict"], result["details"].get("rule", ""), result["reason"])


def _is_candidate(path):
    return path.suffix in TYPES and not path.name.startswith("reference")


ALL = [Cheat(path) for path in sorted(FOLDER.glob("*/*")) if _is_candidate(path)]
CHEATS = [cheat for cheat in ALL if not cheat.is_honest]
TWINS = [cheat for cheat in ALL if cheat.is_honest]


def table():
    """The rows of docs/judging.md."""
    return [f"| {cheat.name} | {cheat.kind} | {cheat.rule or '–'} | `{cheat.verdict}` |" for cheat in CHEATS]
