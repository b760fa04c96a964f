"""What a model keeps of its calls, such as a running mean, can be asked for: no answer shows it."""

import pytest

MODEL = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)
        self.register_buffer("scale", torch.ones(3))
    def forward(self, x):
        return self.scale * self.norm(x)
"""
IN_EVAL = MODEL.replace("BatchNorm1d(3)", "BatchNorm1d(3).eval()")


def kept_after(child, arena, calls):
    arena.give(child, "init_inputs")
    child.call({"op": "produce", "what": "state", "seed": 0})
    arena.give(child, "inputs", arena.put([float(i * i) for i in range(12)], shape=[4, 3]))
    for _ in range(calls):
        assert child.call({"op": "run"})["reply"] == "produced"
    made = child.call({"op": "produce", "what": "kept", "seed": 0})["value"]
    return dict(zip(made["keys"], arena.collect(child, "kept", made)))


@pytest.mark.parametrize("source, calls", [(MODEL, 0), (IN_EVAL, 2)])
def test_nothing_is_kept_before_a_call_or_by_one_that_changes_nothing(child, arena, source, calls):
    child.loaded(source, role="reference")
    assert kept_after(child, arena, calls) == {}


def test_buffers_of_numbers_that_calls_change_are_kept(child, arena):
    child.loaded(MODEL, role="reference")
    kept = kept_after(child, arena, 1)
    assert set(kept) == {"norm.running_mean", "norm.running_var"}
    assert list(kept["norm.running_mean"]) == pytest.approx([3.15, 4.15, 5.35], rel=1e-5)
