"""Weights that a GPU fills; here as on a machine whose GPU has no memory left."""
import subprocess

import pytest

from support import runner

SCRIPT = """
import torch
from assay_runner import large_tensors

asked = []
plain = torch.empty_like

def empty_like(tensor, **options):
    if options.get("device") != "cuda":
        return plain(tensor, **options)
    asked.append(tensor.numel())
    raise torch.cuda.OutOfMemoryError("full")

torch.empty_like = empty_like
large_tensors._LARGE = 16
torch.manual_seed(3)
expected = torch.nn.Linear(8, 8).weight
torch.manual_seed(3)
with large_tensors.FilledByGpu():
    weight = torch.nn.Linear(8, 8).weight
    torch.empty(64).normal_(generator=torch.Generator().manual_seed(1))
print(torch.equal(weight, expected), asked)
"""


def test_where_the_gpu_is_full_weights_are_made_as_written():
    python, why = runner.find_python()
    if python is None:
        pytest.skip(f"needs a Python with torch and triton: {why}")
    run = subprocess.run([python, "-c", SCRIPT], cwd=runner.ROOT / "python", capture_output=True, text=True)
    # The bias is small, and a generator of the source's own stays in use.
    assert run.stdout == "True [64]\n", run.stderr
