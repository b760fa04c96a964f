"""The shapes that kernel benchmarks are made of, each with right and wrong candidates of every type."""
import pytest

from support import python_kernels
from support.python_kernels import CANDIDATES, body_of

LIMIT = 600  # seconds; the first extension waits for torch's headers to be compiled


def ids(path):
    return f"{path.parent.name}-{path.stem}"


@pytest.fixture(scope="module")
def jobs(server, request):
    """The candidates among the tests, all submitted at once: some are built while others run."""
    chosen = {item.callspec.params["path"] for item in request.session.items
              if item.name.startswith(test_candidate_gets_its_verdict.__name__ + "[")}
    return {path: server.submit(body_of(path, timeout=LIMIT)) for path in sorted(chosen)}


@pytest.mark.parametrize("path", CANDIDATES, ids=ids)
def test_candidate_gets_its_verdict(server, jobs, path):
    expected = python_kernels.verdict_of(path.read_text())
    job = server.wait(jobs[path], LIMIT)
    assert job["state"] == "done", job
    assert job["verdict"] == expected, job["result"]["reason"]
    if job["verdict"] == "accepted":
        assert job["result"]["check"]["rounds_passed"] == job["result"]["check"]["rounds_total"] > 0
        assert job["result"]["candidate_timing"]["sample_count"] == 3
        assert job["result"]["speed"]["speedup"] > 0
    else:
        assert job["result"]["reason"]


@pytest.mark.parametrize("path", sorted(python_kernels.FOLDER.glob("*/reference.py")),
                         ids=lambda path: path.parent.name)
def test_reference_agrees_with_itself(server, path):
    reference = python_kernels.code(path.read_text(), "torch")
    job = server.run(python_kernels.compare(reference, reference))
    assert job["verdict"] == "accepted", job["result"]["reason"]


def test_every_shape_has_a_right_and_a_wrong_candidate_of_every_type():
    shapes = {path.parent.name for path in CANDIDATES}
    assert shapes == {"add", "matmul", "softmax", "layer_norm", "conv", "attention", "rnn", "mlp",
                      "transformer_block"}
    for shape in shapes:
        for kind in ("torch", "triton", "torch_cuda"):
            for sense, verdict in (("right", "accepted"), ("wrong", "wrong_answer")):
                path = python_kernels.FOLDER / shape / f"{kind}_{sense}.py"
                assert python_kernels.verdict_of(path.read_text()) == verdict, path


TURNED = """
import torch
class Model(torch.nn.Module):
    def forward(self, x, image):
        assert x.stride() == (1, 32) and x.shape == (32, 64) and image.is_contiguous(memory_format=torch.channels_last)
        return 2 * x, 2 * image
def get_inputs():
    return [torch.randn(64, 32).t(), torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)]
"""


@pytest.mark.parametrize("verdict, doubled", [
    ("accepted", "2 * x"), ("wrong_answer", "2 * torch.as_strided(x, x.shape, (x.shape[1], 1))")])
def test_inputs_lie_in_memory_as_the_reference_laid_them(server, verdict, doubled):
    candidate = TURNED.replace("class Model(", "class ModelNew(").replace("2 * x", doubled)
    job = server.run(python_kernels.compare(python_kernels.code(TURNED, "torch"),
                                            python_kernels.code(candidate, "torch")))
    assert job["verdict"] == verdict, job["result"]["reason"]


# Most elements lie at the edge: after the least change of the inputs others are chosen.
CHOSEN = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        sums = (x * 1e-7).sum(1) + 1
        return sums[sums > sums.median()]
def get_inputs():
    return [torch.randn(6000, 40)]
"""


def test_an_answer_whose_length_depends_on_the_inputs_may_be_wrong(server):
    candidate = CHOSEN.replace("class Model(", "class ModelNew(").replace(
        "return sums[sums > sums.median()]", "chosen = sums[sums > sums.median()]; chosen[-3:] += 1; return chosen")
    for source, verdict in ((CHOSEN.replace("class Model(", "class ModelNew("), "accepted"), (candidate, "wrong_answer")):
        body = {"reference": python_kernels.code(CHOSEN, "torch"), "candidate": python_kernels.code(source, "torch"),
                "num_trials": 3}
        assert server.run(body)["verdict"] == verdict
