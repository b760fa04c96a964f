"""Models of the shapes that KernelBench has give the same answer in two runners."""

import pytest
from support.runner import tensors_in

MODELS = {
    "matmul": ("", "torch.matmul(x, x.T)", "(8, 16)"),
    "mlp": (
        "self.net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), "
        "torch.nn.Linear(32, 4))",
        "self.net(x)",
        "(8, 16)",
    ),
    "convolution": (
        "self.conv = torch.nn.Conv2d(3, 4, 3); self.norm = torch.nn.BatchNorm2d(4)",
        "torch.relu(self.norm(self.conv(x)))",
        "(2, 3, 8, 8)",
    ),
    "layer norm": ("self.norm = torch.nn.LayerNorm(16)", "self.norm(x)", "(4, 16)"),
    "attention": (
        "self.attention = torch.nn.MultiheadAttention(16, 4, batch_first=True)",
        "self.attention(x, x, x, need_weights=False)[0]",
        "(2, 5, 16)",
    ),
    "lstm": (
        "self.rnn = torch.nn.LSTM(16, 8, num_layers=2)",
        "self.rnn(x)",
        "(5, 2, 16)",
    ),
    "transformer block": (
        "self.block = torch.nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True)",
        "self.block(x)",
        "(2, 5, 16)",
    ),
    "random constructor": (
        "self.w = torch.nn.Parameter(torch.randn(16)); self.register_buffer('b', torch.rand(16))",
        "x * self.w + self.b",
        "(4, 16)",
    ),
}
SOURCE = """
import torch

class {name}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, x):
        return {forward}

def get_inputs():
    return [torch.randn{shape}]

def get_init_inputs():
    return []
"""


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_a_model_and_its_copy_agree(fork, arena, model):
    init, forward, shape = model
    reference, candidate = fork(), fork()
    inputs = None
    answers = []
    for child, name in ((reference, "Model"), (candidate, "ModelNew")):
        source = SOURCE.format(name=name, init=init or "pass", forward=forward, shape=shape)
        child.loaded(source, role="reference" if name == "Model" else "candidate")
        assert arena.give(child, "init_inputs") == {"reply": "done"}
        if inputs is None:
            tree = child.call({"op": "produce", "what": "inputs", "seed": 5})["value"]
            (values,) = arena.collect(child, "inputs", tree)
            inputs = arena.put(values, shape=tensors_in(tree)[0]["shape"])
        assert arena.give(child, "inputs", inputs) == {"reply": "done"}
        reply = child.call({"op": "run"})
        assert reply["reply"] == "produced", reply
        answers.append(arena.collect(child, "outputs", reply["value"]))
    assert answers[0] == answers[1]
    assert any(value != 0 for tensor in answers[0] for value in tensor)


def test_parameters_of_the_reference_make_a_model_of_other_weights_agree(fork, arena):
    init, forward, shape = MODELS["mlp"]
    source = SOURCE.format(name="Model", init=init, forward=forward, shape=shape)
    reference, candidate = fork(), fork()
    reference.loaded(source, role="reference", seed=1)
    candidate.loaded(source.replace("Model", "ModelNew"), role="candidate", seed=2)
    inputs = arena.put([float(i % 7) for i in range(8 * 16)], shape=[8, 16])
    for child in (reference, candidate):
        arena.give(child, "init_inputs")
        arena.give(child, "inputs", inputs)
    state = reference.call({"op": "produce", "what": "state", "seed": 0})["value"]
    values = arena.collect(reference, "state", state)
    given = {
        key: arena.put(data, shape=item["shape"])
        for key, item, data in zip(state["keys"], state["items"], values)
    }
    for copied in (False, True):
        if copied:
            stated = arena.give_state(candidate, **given)
            assert stated == {"reply": "stated", "unmatched": [], "late": list(given)}
        answers = [
            arena.collect(child, "outputs", child.call({"op": "run"})["value"])
            for child in (reference, candidate)
        ]
        assert (answers[0] == answers[1]) == copied
