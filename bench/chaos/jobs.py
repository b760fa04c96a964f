"""What is submitted under chaos, and which verdicts each may get."""
import dataclasses
import json
import random
import re

from support import kernels, python_kernels
from support.server import ROOT

PATIENT = 120  # seconds: more than any disorder lasts
HASTY = 5      # for what must run out of time
LARGE = 4 << 20
WRONG = kernels.SCALE.replace("a *", "2 * a *")
ADD = python_kernels.FOLDER / "add"
# What hostile Python kernels are compared with.
ATTACKED = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return 2 * x

def get_inputs():
    return [torch.randn(16, 33)]

def get_init_inputs():
    return []
"""


@dataclasses.dataclass(frozen=True)
class Order:
    """One request. `verdicts`: those that are right for it."""
    kind: str
    body: bytes
    verdicts: frozenset


def _order(kind, body, *verdicts, padding=0):
    return Order(kind, json.dumps(body).encode() + b" " * padding, frozenset(verdicts))


def _hostile(source):
    verdicts = re.match(r"(?://|#) verdict: (.*)", source)[1].split()
    # One whose process was held up while it broke may run out of its little time instead.
    return [*verdicts, "timed_out"]


def _cuda_attack(rng):
    path = rng.choice(sorted((ROOT / "tests" / "adversarial").glob("*.cu")))
    source = path.read_text().replace("SECRET_PATH", "/etc/shadow").replace("SERVER_PORT", "1")
    return _order("hostile", kernels.compare(source, timeout=HASTY, num_trials=3), *_hostile(source))


def _python_attack(rng):
    path = rng.choice(sorted((ROOT / "tests" / "adversarial" / "python").glob("*.py")))
    source = path.read_text().replace("SECRET_PATH", "/etc/shadow").replace("SERVER_PORT", "1")
    verdicts = _hostile(source)
    patience = HASTY if verdicts[0] == "timed_out" else PATIENT
    body = python_kernels.compare(python_kernels.code(ATTACKED, "torch"), python_kernels.code(source, "torch"),
                                  timeout=patience, num_trials=3)
    return _order("hostile Python", body, *verdicts)


def _python(number, kind, sense, verdict):
    source = (ADD / f"{kind}_{sense}.py").read_text()
    body = python_kernels.compare(
        python_kernels.code((ADD / "reference.py").read_text(), "torch"),
        python_kernels.code(source + f"# {number}\n", kind), timeout=PATIENT)
    return _order(f"{kind}, {sense}", body, verdict)


def order(number, rng: random.Random, with_python):
    """The order of this number: mostly good ones, as in life."""
    common = {"timeout": PATIENT, "num_trials": 3}
    chance = rng.random()
    if chance < 0.35:
        return _order("good", kernels.compare(**common), "accepted")
    if chance < 0.5:
        return _order("new", kernels.compare(kernels.SCALE + f"// {number}\n", **common), "accepted")
    if chance < 0.6:
        return _order("wrong", kernels.compare(WRONG, **common), "wrong_answer")
    if chance < 0.65:
        return _order("broken", kernels.compare("__global__ void f(", **common), "did_not_compile")
    if chance < 0.75:
        return _order("large", kernels.compare(**common), "accepted", padding=LARGE)
    if chance < 0.87 or not with_python:
        return _cuda_attack(rng)
    if chance < 0.92:
        return _python_attack(rng)
    kind = rng.choice(("torch", "triton"))
    return _python(number, kind, "right", "accepted") if rng.random() < 0.7 else _python(number, kind, "wrong", "wrong_answer")
