"""A reference run once more in float64, to know how exact its own answer is."""

import pytest

MODEL = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2, bias=False)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return BODY
"""


def precisely(child, arena, source, *inputs):
    child.loaded(source, role="reference")
    assert arena.give(child, "init_inputs")["reply"] == "done"
    assert arena.give(child, "inputs", *inputs) == {"reply": "done"}
    return child.call({"op": "run_precisely"})


def test_a_model_answers_in_float64_and_says_that_it_did(child, arena):
    reply = precisely(child, arena, MODEL.replace("BODY", "self.layer(x) / 3"), arena.put([1.0, 2.0]))
    precision, value = reply["value"]["items"]
    assert precision == {"k": "str", "v": "float64"}
    assert value["dtype"] == "float64"
    (values,) = arena.collect(child, "precise", reply["value"])
    assert values[0] != pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("body, lowest", [
    ("self.layer(x.float().double())", "float32"),
    ("(x.half() @ x.half()).double()", "float16"),
    ("x.bfloat16().double() + x", "bfloat16"),
])  # fmt: skip
def test_a_precision_that_the_source_asks_for_is_told(child, arena, body, lowest):
    reply = precisely(child, arena, MODEL.replace("BODY", body), arena.put([1.0, 2.0]))
    assert reply["value"]["items"][0]["v"] == lowest


def test_the_model_itself_is_left_as_it_was(child, arena):
    source = MODEL.replace("BODY", "x * self.calls")
    x = arena.put([1.0, 2.0])
    precisely(child, arena, source, x)
    assert arena.get(x) == [1.0, 2.0]
    reply = child.call({"op": "run"})
    assert arena.collect(child, "outputs", reply["value"]) == [[1.0, 2.0]], "it was called once"


@pytest.mark.parametrize("body", [
    "torch.nn.functional.linear(x, torch.ones(2, 2, dtype=torch.float32))",
    "x.numpy().astype('float32').view('int32').nope",
])  # fmt: skip
def test_a_source_that_cannot_do_so_is_refused_and_stays_usable(child, arena, body):
    verdict, _ = child.verdict_in(precisely(child, arena, MODEL.replace("BODY", body), arena.put([1.0, 2.0])))
    assert verdict in ("crashed", "unsupported")
    assert child.call({"op": "produce", "what": "state", "seed": 1})["reply"] == "produced"


def test_an_answer_in_the_memory_of_an_input_is_told(child, arena):
    child.loaded("def f(x): return [x, x.view(1, 2)[:, 1:], x * 2]")
    assert arena.give(child, "inputs", arena.put([1.0, 2.0])) == {"reply": "done"}
    items = child.call({"op": "run"})["value"]["items"]
    assert [item.get("is_input", False) for item in items] == [True, True, False]


def test_what_a_thread_writes_after_the_call_comes_too_late(child, arena):
    child.loaded("""
import threading, time, torch
def f(x):
    out = torch.zeros(2)
    def work():
        time.sleep(0.05)
        out.copy_(2 * x)
    threading.Thread(target=work).start()
    return out
""")
    assert arena.give(child, "inputs", arena.put([1.0, 2.0])) == {"reply": "done"}
    reply = child.call({"op": "run"})
    child.call({"op": "produce", "what": "init_inputs", "seed": 1})
    import time

    time.sleep(0.2)
    assert arena.collect(child, "outputs", reply["value"]) == [[0.0, 0.0]]


def test_a_copy_answers_in_its_own_precision_and_leaves_the_model_as_it_was(child, arena):
    child.loaded(MODEL.replace("BODY", "x * self.calls"), role="reference")
    arena.give(child, "init_inputs")
    arena.give(child, "inputs", arena.put([1.0, 2.0]))
    for _ in range(2):
        reply = child.call({"op": "run_again"})
        assert reply["value"]["dtype"] == "float32"
        assert arena.collect(child, "precise", reply["value"]) == [[1.0, 2.0]]


@pytest.mark.parametrize("setting, expected", [
    ("", False),
    ("torch.set_float32_matmul_precision('high')", True),
    ("torch.backends.cuda.matmul.allow_tf32 = True", True),
])  # fmt: skip
def test_a_reference_that_lets_torch_compute_in_tf32_is_told(child, arena, setting, expected):
    child.loaded(f"import torch\n{setting}\ndef f(x): return x @ x", role="reference")
    arena.give(child, "inputs", arena.put([1.0, 2.0]))
    assert child.call({"op": "run"}).get("tf32", False) is expected


def test_what_a_candidate_sets_allows_nothing(child, arena):
    child.loaded("import torch\ntorch.set_float32_matmul_precision('high')\ndef f(x): return x @ x")
    arena.give(child, "inputs", arena.put([1.0, 2.0]))
    assert "tf32" not in child.call({"op": "run"})


def test_a_copy_of_the_last_run_has_what_the_model_kept_before_it(child, arena):
    child.loaded(MODEL.replace("BODY", "x * self.calls"), role="reference")
    arena.give(child, "init_inputs")
    arena.give(child, "inputs", arena.put([1.0, 2.0]))
    child.call({"op": "run"})
    for op in ("run", "run_again"):
        reply = child.call({"op": op, "of_last_run": True})
    assert arena.collect(child, "precise", reply["value"]) == [[2.0, 4.0]], "as the second call"
    reply = child.call({"op": "run_again"})
    assert arena.collect(child, "precise", reply["value"]) == [[3.0, 6.0]], "as a third would"
    reply = child.call({"op": "run_precisely", "of_last_run": True})
    assert arena.collect(child, "precise", reply["value"]) == [[2.0, 4.0]]
