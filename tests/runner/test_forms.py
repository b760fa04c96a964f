"""The ways in which a source can offer something to run."""

import pytest

LINEAR = """
import torch

class Model(torch.nn.Module):
    def __init__(self, size, scale=1.0):
        super().__init__()
        self.linear = torch.nn.Linear(size, size)
        self.scale = scale

    def forward(self, x):
        return self.linear(x) * self.scale

def get_inputs():
    return [torch.randn(2, 3)]

def get_init_inputs():
    return [3]
"""


def run(child, arena, *items):
    """What one run returns, as the values of its tensors."""
    assert arena.give(child, "inputs", *items) == {"reply": "done"}
    reply = child.call({"op": "run"})
    assert reply["reply"] == "produced", reply
    return arena.collect(child, "outputs", reply["value"])


def integer(value):
    return {"k": "int", "v": value}


def test_a_kernelbench_module_gives_its_inputs_and_takes_constructor_arguments(child, arena):
    loaded = child.loaded(LINEAR)
    assert loaded == {
        "reply": "loaded", "has_inputs": True, "has_init_inputs": True, "takes_state": True,
    }  # fmt: skip
    made = child.call({"op": "produce", "what": "init_inputs", "seed": 1})
    assert made["value"] == {"k": "list", "items": [integer(3)]}
    assert arena.give(child, "init_inputs", integer(3)) == {"reply": "done"}
    made = child.call({"op": "produce", "what": "inputs", "seed": 1})
    leaf = {"k": "tensor", "shape": [2, 3], "dtype": "float32"}
    assert made["value"] == {"k": "list", "items": [leaf]}
    (values,) = arena.collect(child, "inputs", made["value"])
    assert len(set(values)) == 6
    assert len(run(child, arena, arena.put(values, shape=[2, 3]))[0]) == 6


def test_equal_seeds_give_equal_weights_and_inputs(fork, arena):
    states = []
    for _ in range(2):
        child = fork()
        child.loaded(LINEAR)
        arena.give(child, "init_inputs", integer(3))
        state = child.call({"op": "produce", "what": "state", "seed": 0})["value"]
        inputs = child.call({"op": "produce", "what": "inputs", "seed": 7})["value"]
        states.append(arena.collect(child, "state", state) + arena.collect(child, "inputs", inputs))
    assert states[0] == states[1]


def test_state_is_copied_where_name_and_shape_match(child, arena):
    child.loaded(LINEAR)
    arena.give(child, "init_inputs", integer(3))
    weight = arena.put([1, 0, 0, 0, 1, 0, 0, 0, 1], shape=[3, 3])
    stated = arena.give_state(
        child,
        **{
            "linear.weight": weight,
            "linear.bias": arena.put([0, 0], shape=[2]),
            "other": arena.put([1]),
        },
    )
    assert stated["unmatched"] == [
        "linear.bias: [3] instead of [2]",
        "other: the model has no such parameter or buffer",
    ]
    arena.give_state(child, **{"linear.bias": arena.put([0, 0, 5])})
    assert run(child, arena, arena.put([1, 2, 3], shape=[1, 3])) == [[1, 2, 8]]


@pytest.mark.parametrize(("role", "name"), [("reference", "Model"), ("candidate", "ModelNew")])
def test_each_side_runs_its_own_model_of_a_file_that_holds_both(child, arena, role, name):
    child.loaded(
        "import torch\n"
        "class Model(torch.nn.Module):\n  def forward(self, x): return x + 1\n"
        "class ModelNew(torch.nn.Module):\n  def forward(self, x): return x + 2\n",
        role=role,
    )
    assert run(child, arena, arena.put([0])) == [[1 if name == "Model" else 2]]


def test_a_function_is_called_by_name_with_its_arguments(child, arena):
    child.loaded(
        "def helper(x): return x\ndef scale(x, by): return helper(x) * by",
        metadata={"function_name": "scale"},
    )
    assert run(child, arena, arena.put([1, 2]), {"k": "float", "v": "2.5"}) == [[2.5, 5]]


def test_a_class_takes_its_constructor_arguments_from_the_metadata(child, arena):
    child.loaded(
        "class Scaler:\n"
        "  def __init__(self, by, plus=0): self.by, self.plus = by, plus\n"
        "  def apply(self, x): return x * self.by + self.plus\n",
        metadata={
            "class_name": "Scaler", "method_name": "apply",
            "init_args": [3], "init_kwargs": {"plus": 1},
        },  # fmt: skip
    )
    arena.give(child, "init_inputs")
    assert run(child, arena, arena.put([1, 2])) == [[4, 7]]


def test_the_only_function_of_a_source_is_run(child, arena):
    child.loaded("import math\ndef _helper(x): return x\ndef twice(x): return _helper(x) * 2")
    assert run(child, arena, arena.put([1, 2])) == [[2, 4]]


def test_an_entry_point_is_called(child, arena):
    child.loaded("def a(x): return x\ndef b(x): return -a(x)", "multi_kernel",
                 metadata={"entry_point": "b"})  # fmt: skip
    assert run(child, arena, arena.put([1])) == [[-1]]


@pytest.mark.parametrize(
    ("source", "request_", "said"),
    [
        ("x = 1", {}, "neither a class 'Model'"),
        ("def f(): pass\ndef g(): pass", {}, "with --kernel-name on the command line"),
        ("def a(): pass\ndef b(): pass", {}, "the source defines: a, b"),
        ("x = 1", {"metadata": {"function_name": "f"}}, "function 'f' not found"),
        ("f = 1", {"metadata": {"function_name": "f"}}, "function 'f' is not callable"),
        ("def C(): pass", {"metadata": {"class_name": "C"}}, "'C' is not a class"),
        ("class C: pass", {"metadata": {"class_name": "C"}}, "no method 'forward'"),
        (
            "x = 1",
            {"type": "multi_kernel", "metadata": {"entry_point": "main"}},
            "Entry point 'main' not found",
        ),
    ],
)
def test_a_source_without_what_was_asked_for_does_not_compile(child, source, request_, said):
    name, details = child.verdict_in(child.load(source, **request_))
    assert name == "did_not_compile"
    assert said in details["log"]


def test_outputs_keep_their_structure(child, arena):
    child.loaded(
        "import collections, dataclasses, torch\n"
        "Pair = collections.namedtuple('Pair', 'a b')\n"
        "@dataclasses.dataclass\n"
        "class Box:\n  x: object\n"
        "def f(x):\n"
        "  return {'t': (x, [x + 1, None]), 'p': Pair(1, 2.5), 'b': Box(True), 3: 'text',\n"
        "          'nan': float('nan'), 'n': x.numpy() * 2}\n"
    )
    arena.give(child, "inputs", arena.put([1]))
    tree = child.call({"op": "run"})["value"]
    leaf = {"k": "tensor", "shape": [1], "dtype": "float32"}
    assert tree["keys"] == ["t", "p", "b", "3", "nan", "n"]
    assert tree["items"] == [
        {"k": "tuple", "items": [{**leaf, "is_input": True}, {"k": "list", "items": [leaf, {"k": "none"}]}]},
        {"k": "tuple", "items": [integer(1), {"k": "float", "v": "2.5"}]},
        {"k": "dict", "keys": ["x"], "items": [{"k": "bool", "v": True}]},
        {"k": "str", "v": "text"},
        {"k": "float", "v": "nan"},
        {**leaf, "is_array": True},
    ]
    assert arena.collect(child, "outputs", tree) == [[1], [2], [2]]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("torch.zeros(2, 2).to_sparse()", "sparse"),
        ("2 ** 80", "64 bits"),
        ("[0] * 70000", "65536 parts"),
        ("(lambda l: (l.append(l), l)[1])([])", "32 levels"),
    ],
)
def test_outputs_of_another_kind_are_unsupported(child, arena, value, said):
    child.loaded(f"import torch\ndef f(): return {value}", role="reference")
    arena.give(child, "inputs")
    name, details = child.verdict({"op": "run"})
    assert name == "unsupported"
    assert said in details["summary"]


def test_an_input_that_is_no_list_is_the_only_argument(child):
    child.loaded("import torch\ndef get_inputs(): return torch.ones(2)\ndef f(x): return x")
    made = child.call({"op": "produce", "what": "inputs", "seed": 1})
    leaf = {"k": "tensor", "shape": [2], "dtype": "float32"}
    assert made["value"] == {"k": "list", "items": [leaf]}


def test_timed_runs_restore_what_the_kernel_changes(child, arena):
    child.loaded("def f(x): x += 1; return x * 1")
    original, changed = arena.put([1, 2]), arena.put([1, 2])
    restores = [[original["offset"], changed["offset"], 8]]
    arena.give(child, "inputs", changed, restores=restores)
    tree = child.call({"op": "run"})["value"]
    assert arena.collect(child, "outputs", tree) == [[2, 3]]
    reply = child.call({"op": "time", "samples": 5})
    assert reply["reply"] == "samples"
    assert len(reply["ns"]) == 5
    assert min(reply["ns"]) > 0
    assert arena.get(changed) == [2, 3]
    assert arena.collect(child, "outputs", tree) == [[2, 3]]


def test_inputs_are_views_of_the_arena(child, arena):
    child.loaded("def f(x): return x * 2")
    tensor = arena.put([1, 2])
    assert run(child, arena, tensor) == [[2, 4]]
    arena.memory[tensor["offset"] : tensor["offset"] + 4] = b"\0\0\x80\x40"  # 4.0
    tree = child.call({"op": "run"})["value"]
    assert arena.collect(child, "outputs", tree) == [[8, 4]]


def test_outputs_of_timed_runs_are_told_in_their_own_structure(child, arena):
    child.loaded("n = 0\ndef f(x):\n  global n; n += 1\n  return [x] * n")
    arena.give(child, "inputs", arena.put([1]))
    assert len(child.call({"op": "run"})["value"]["items"]) == 1
    child.call({"op": "time", "samples": 2})
    assert len(child.call({"op": "outputs"})["value"]["items"]) == 3


def test_random_numbers_are_those_of_the_seed_in_every_run(child, arena):
    child.loaded("import torch\ndef f(x): return torch.nn.functional.dropout(x, 0.5)")
    item = arena.put([1] * 32)
    assert run(child, arena, item) == run(child, arena, item)


@pytest.mark.parametrize("parameters", ["x", "x, y, z", "*, x, y"])
def test_arguments_that_do_not_fit_the_function_do_not_compile(child, arena, parameters):
    child.loaded(f"def f({parameters}): return x")
    arena.give(child, "inputs", arena.put([1]), arena.put([2]))
    name, details = child.verdict({"op": "run"})
    assert name == "did_not_compile"
    assert f"2 arguments do not fit f({parameters}): " in details["log"]


def test_an_argument_error_within_the_function_is_a_crash(child, arena):
    child.loaded("def f(x): return (lambda: x)(x)")
    arena.give(child, "inputs", arena.put([1]))
    assert child.verdict({"op": "run"})[0] == "crashed"


SIZED = "import torch\nrows, width = 2, 3\nname = 'a'\ntotal: int = rows * width\n" \
        "def f(x): return x, rows, width, total, name"


@pytest.mark.parametrize(("constants", "values"), [
    ({"rows": 5}, [5, 3, 15]),
    ({"width": 7, "name": "b"}, [2, 7, 14]),
    ({"total": 1}, [2, 3, 1]),
    ({}, [2, 3, 6]),
])  # fmt: skip
def test_constants_at_the_top_have_the_values_of_a_workload(child, arena, constants, values):
    child.loaded(SIZED, constants=constants)
    arena.give(child, "inputs", arena.put([1]))
    items = child.call({"op": "run"})["value"]["items"]
    assert items[1:4] == [integer(value) for value in values]
    assert items[4]["v"] == constants.get("name", "a")


def test_a_constant_that_a_reference_has_not_is_named_and_a_candidates_is_nobodys_business(fork, arena):
    name, details = fork().verdict_in(fork().load(SIZED, role="reference", constants={"depth": 1}))
    assert (name, "'depth'" in details["log"]) == ("did_not_compile", True)
    fork().loaded(SIZED, role="candidate", constants={"depth": 1})


def test_a_byte_order_mark_is_no_part_of_the_source(child, arena):
    child.loaded("\ufeffimport torch\ndef f(x): return x + 1")
    assert run(child, arena, arena.put([1])) == [[2]]
