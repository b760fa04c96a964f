"""Weights of a new model are ones and zeros. Varied, they show whether a kernel uses them."""

import pytest

MODEL = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)
        self.scale = torch.nn.Parameter(torch.full((3,), 2.0))
        self.one = torch.nn.Parameter(torch.ones(1))
        self.gate = torch.nn.Parameter(torch.zeros(1))
        self.layer_scale = torch.nn.Parameter(torch.full((3,), 1e-6))
        self.filled = torch.nn.Parameter(torch.randn(3))
        self.filled.data.fill_(1)
        self.register_buffer("mask", torch.ones(3))
    def forward(self, x):
        return self.scale * self.norm(x)
"""
RENAMED = MODEL.replace("norm", "other")


def state_of(child, arena, vary):
    assert arena.give(child, "init_inputs", vary_weights=vary) == {"reply": "done"}
    made = child.call({"op": "produce", "what": "state", "seed": 0})
    values = arena.collect(child, "state", made["value"])
    return made["varied"], dict(zip(made["value"]["keys"], values))


def test_weights_are_as_the_author_made_them_unless_they_are_to_vary(child, arena):
    child.loaded(MODEL, role="reference")
    varied, state = state_of(child, arena, vary="none")
    assert varied == {"norms": [], "made": [], "others": []}
    assert list(state["norm.weight"]) == [1, 1, 1]


def test_constant_weights_of_a_reference_vary_and_all_else_stays(child, arena):
    child.loaded(MODEL, role="reference")
    varied, state = state_of(child, arena, vary="all")
    assert varied["norms"] == ["norm.weight", "norm.bias", "norm.running_mean", "norm.running_var"]
    assert varied["made"] == ["scale", "gate", "layer_scale"]
    assert varied["others"] == ["filled"]
    assert len(set(state["norm.weight"])) == 3
    assert all(0.5 <= value <= 2 for value in state["norm.running_var"])
    assert all(1 <= value <= 3 for value in state["scale"]) and len(set(state["scale"])) == 3
    assert state["gate"] != [0] and all(value >= 0.05 for value in state["layer_scale"])
    assert list(state["one"]) == [1] and list(state["mask"]) == [1, 1, 1]


def test_weights_of_a_model_that_converts_itself_are_known_as_varied(child, arena):
    child.loaded(MODEL.replace("    def forward", "        self.double()\n    def forward"), role="reference")
    varied, state = state_of(child, arena, vary="all")
    assert varied["made"] == ["scale", "gate", "layer_scale"] and varied["others"] == ["filled"]
    assert len(set(state["scale"])) == 3


def test_norms_can_vary_alone(child, arena):
    child.loaded(MODEL, role="reference")
    varied, state = state_of(child, arena, vary="norms")
    assert "norm.weight" in varied["norms"] and varied["made"] == varied["others"] == []
    assert list(state["scale"]) == [2, 2, 2]


@pytest.mark.parametrize("source", [MODEL, RENAMED])
def test_norms_of_a_candidate_have_the_same_weights_when_they_are_made(fork, arena, source):
    states = []
    for text, role in ((MODEL, "reference"), (source, "candidate")):
        child = fork()
        child.loaded(text, role=role)
        states.append({name.rpartition(".")[2]: list(values)
                       for name, values in state_of(child, arena, vary="all")[1].items()})
    for name in ("weight", "bias", "running_mean", "running_var"):
        assert states[0][name] == states[1][name]


FILLED_LATER = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.act = torch.nn.PReLU(3)
        self.scale = torch.nn.Parameter(torch.empty(3))
        torch.nn.init.ones_(self.scale)
        self.shift = torch.nn.Parameter(torch.randn(3))
        torch.nn.init.zeros_(self.shift)
        self.drawn = torch.nn.Parameter(torch.zeros(3))
        torch.nn.init.normal_(self.drawn)
    def forward(self, x):
        return self.act(x * self.scale + self.shift)
"""


def test_parameters_that_torch_fills_after_they_are_registered_vary_in_both_models(fork, arena):
    states = []
    for role in ("reference", "candidate"):
        child = fork()
        child.loaded(FILLED_LATER, role=role)
        varied, state = state_of(child, arena, vary="all")
        states.append({name: list(values) for name, values in state.items()})
        if role == "reference":
            assert varied["made"] == ["scale", "shift", "act.weight"] and varied["others"] == []
    assert states[0] == states[1]
    assert all(0.125 <= value <= 0.375 for value in states[0]["act.weight"])
    assert all(len(set(states[0][name])) == 3 for name in ("act.weight", "scale", "shift"))


OWN_NORM = """
import torch

class OwnNorm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(3))
        self.register_buffer("running_var", torch.ones(3))
        self.register_buffer("counts", torch.zeros(3))
    def forward(self, x):
        return (x - self.running_mean) * torch.rsqrt(self.running_var + 1e-5)

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = OwnNorm()
        self.folded = torch.rsqrt(self.part.running_var)
    def forward(self, x):
        return self.part(x)
"""


def test_statistics_of_a_norm_of_the_author_vary_too_and_his_other_buffers_stay(fork, arena):
    states = []
    for role in ("reference", "candidate"):
        child = fork()
        child.loaded(OWN_NORM, role=role)
        varied, state = state_of(child, arena, vary="all")
        states.append({name: list(values) for name, values in state.items()})
        assert varied["norms"] == (["part.running_mean", "part.running_var"] if role == "reference" else [])
    assert states[0] == states[1]
    assert len(set(states[0]["part.running_mean"])) == len(set(states[0]["part.running_var"])) == 3
    assert all(0.5 <= value <= 2 for value in states[0]["part.running_var"])
    assert states[0]["part.counts"] == [0, 0, 0]


FOLDED = """
import torch

class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.full((3,), 2.0))
        self.filled = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("folded", 10 * self.scale.detach())
    def forward(self, x):
        return self.folded * x
"""


def test_a_candidate_folds_weights_that_vary_already_and_is_late_with_others(fork, arena):
    reference, candidate = fork(), fork()
    reference.loaded(MODEL, role="reference")
    candidate.loaded(FOLDED, role="candidate")
    given = state_of(reference, arena, vary="all")[1]
    own = state_of(candidate, arena, vary="all")[1]
    assert own["folded"] == pytest.approx([10 * value for value in given["scale"]])
    stated = arena.give_state(candidate, **{name: arena.put(given[name]) for name in ("scale", "filled")})
    assert stated == {"reply": "stated", "unmatched": [], "late": ["filled"]}


def test_torch_is_as_before_once_a_model_is_made(child, arena):
    child.loaded(MODEL, role="reference")
    state_of(child, arena, vary="all")
    assert list(state_of(child, arena, vary="none")[1]["norm.weight"]) == [1, 1, 1]


ODD = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = torch.nn.Parameter(torch.ones(1).expand(8))
        self.bytes = torch.nn.Parameter(torch.zeros(8).to(torch.float8_e4m3fn), requires_grad=False)
        self.narrow = torch.nn.Parameter(torch.zeros(8, dtype=torch.bfloat16))
        self.turned = torch.nn.Parameter(torch.ones(2, 3).t())
    def forward(self, x):
        return x * self.shared
"""


def test_weights_that_cannot_vary_stay_and_do_no_harm(child, arena):
    child.loaded(ODD, role="reference")
    assert arena.give(child, "init_inputs", vary_weights="all") == {"reply": "done"}
    made = child.call({"op": "produce", "what": "state", "seed": 0})
    assert made["varied"] == {"norms": [], "made": ["narrow", "turned"], "others": []}


def test_lazy_weights_are_left_to_their_first_call(child, arena):
    child.loaded("""
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.LazyLinear(4)
        self.norm = torch.nn.LazyBatchNorm1d()
    def forward(self, x):
        return self.norm(self.linear(x))
""", role="reference")
    assert arena.give(child, "init_inputs", vary_weights="all") == {"reply": "done"}
