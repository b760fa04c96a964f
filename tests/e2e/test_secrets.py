"""What a candidate must not know is nowhere in its process."""
import secrets

import pytest

from support import python_kernels, server as server_module

SOURCE = (server_module.ROOT / "tests" / "adversarial" / "search_own_process.py").read_text()
MASK = 0x5555555555555555  # as in the source
REFERENCE = '''
import torch

MARKER = "{marker}"


class Model(torch.nn.Module):
    """{marker}"""

    def forward(self, x):
        return 2 * x + 0 * len(MARKER)


def get_inputs():
    return [torch.randn(16, 33)]


def get_init_inputs():
    return []
'''


@pytest.fixture
def marker():
    return "kept-from-candidates-" + secrets.token_hex(16)


@pytest.fixture
def seed():
    return 7777777 * 10**11 + secrets.randbelow(10**11)


def compare(marker, seed, candidate):
    source = candidate.replace("MASKED_SEED_VALUE", str(seed ^ MASK))
    reference = REFERENCE.replace("{marker}", marker)
    return {"reference": python_kernels.code(reference, "torch"),
            "candidate": python_kernels.code(source, "torch"),
            "seed": seed, "num_trials": 3, "timeout": 120}


def test_neither_the_reference_nor_the_seed_is_in_the_candidates_process(server, marker, seed):
    job = server.run(compare(marker, seed, SOURCE), limit=300)
    assert job["verdict"] == "accepted", job["result"]["reason"]
    assert int(job["result"]["provenance"]["seed"], 16) == seed


@pytest.mark.parametrize("leak, place", [
    ("# {marker}", "kernel.py"), ("kept = '{seed}'", "an object"),
    ("kept = torch.tensor([{seed}])", "the seed in memory"),
    ("import os; os.environ['A'] = '{marker}'", "the environment")])
def test_search_finds_what_is_there(server, marker, seed, leak, place):
    told = leak.replace("{marker}", marker).replace("{seed}", str(seed))
    job = server.run(compare(marker, seed, SOURCE + "\n" + told + "\n"))
    assert job["verdict"] == "crashed", job["result"]
    assert place in job["result"]["reason"]
