"""Python kernels as requests."""
import json
import pathlib

from support.server import ROOT

FOLDER = ROOT / "tests" / "e2e" / "python_kernels"
TYPES = ("torch_cuda", "torch", "triton", "cuda", "multi_kernel")  # a name begins with one of them
TOLERANCES = {"atol": 1e-4, "rtol": 1e-3}
CANDIDATES = sorted(path for path in FOLDER.glob("*/*")
                    if path.suffix in (".py", ".cu") and not path.name.startswith("reference"))
ADD_ONE = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x + 1
def get_inputs():
    return [torch.randn(64)]
def get_init_inputs():
    return []
"""


def code(source, kernel_type, io=None, **metadata):
    made = {"source_code": source, "kernel_type": kernel_type}
    if io is not None:
        made["io"] = io
    if metadata:
        made["metadata"] = metadata
    return made


def type_of(path):
    return next(name for name in TYPES if pathlib.Path(path).name.startswith(name))


def verdict_of(source):
    """The one it must get, as the first line of a candidate says behind its comment sign."""
    _, key, verdict = source.splitlines()[0].split()
    assert key == "verdict:", "a candidate says first which verdict it must get"
    return verdict


def line_of(source, key):
    """The text behind `# key: ` in the head of a file; None if there is none."""
    for line in source.splitlines()[:4]:
        if line[2:].startswith(f"{key}: "):
            return line[2:].partition(": ")[2]
    return None


def compare(reference, candidate, **options):
    return {"ref_kernel": reference, "custom_kernel": candidate, "num_trials": 3,
            "timeout": 120, **TOLERANCES, **options}


def body_of(path, **options):
    """A candidate of a shape beside the shape's reference."""
    folder, kind = path.parent, type_of(path)
    if kind != "cuda":
        return compare(code((folder / "reference.py").read_text(), "torch"),
                       code(path.read_text(), kind), **options)
    contract = json.loads((folder / "cuda.json").read_text())
    return compare(code((folder / "reference_function.py").read_text(), "torch",
                        {"args": contract["inputs"]}, function_name="reference"),
                   code(path.read_text(), "cuda", {"args": contract["inputs"] + contract["others"],
                                                   "launch": contract["launch"]}), **options)
