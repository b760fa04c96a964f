"""Makes KernelBench's models small enough for this machine: prints the source with smaller numbers, as JSON.

Run by the Python that has torch: `python cut_models.py FILE`. The sizes are constants of the module; those that
are cut hardest and still give a model that runs are taken.
"""
import ast
import json
import sys
import time

import torch

CAPS = ((2, 64, 0.5), (4, 128, 1.0), (2, 256, 2.0), (2, 1 << 30, 8.0))  # batch, other sizes, seconds
MOST_BYTES = 64 << 20


def cut(value, cap):
    while value > cap:
        value = (value + 1) // 2
    return value


class Smaller(ast.NodeTransformer):
    """Cuts the whole numbers of the module's own assignments."""

    def __init__(self, batch, other):
        self.batch, self.other = batch, other

    def visit_Module(self, node):
        node.body = [self.assignment(part) if isinstance(part, ast.Assign) else part for part in node.body]
        return node

    def assignment(self, node):
        try:
            value = eval(compile(ast.Expression(node.value), "sizes", "eval"), {})  # a constant expression
        except Exception:
            return node
        names = ast.unparse(node.targets[0]).strip("()").split(", ")
        node.value = ast.parse(repr(self.smaller(names, value)), mode="eval").body
        return node

    def smaller(self, names, value):
        if isinstance(value, (tuple, list)):
            parts = names if len(names) == len(value) else names * len(value)
            return type(value)(self.smaller([name], part) for name, part in zip(parts, value))
        if not isinstance(value, int) or isinstance(value, bool):
            return value
        return cut(value, self.batch if names[0] in ("batch_size", "batch", "B", "N_batch") else self.other)


def runs(source, limit):
    names = {}
    exec(compile(source, "model", "exec"), names)
    torch.manual_seed(0)
    inputs = names["get_inputs"]()
    if sum(x.numel() * x.element_size() for x in inputs if torch.is_tensor(x)) > MOST_BYTES:
        raise ValueError("inputs too large")
    model = names["Model"](*names["get_init_inputs"]())
    with torch.no_grad():
        model(*inputs)
        start = time.process_time()
        value = model(*inputs)
    if time.process_time() - start > limit:
        raise ValueError("too slow")
    return value


def main():
    torch.set_num_threads(1)
    text = open(sys.argv[1]).read()
    reasons = []
    for batch, other, limit in CAPS:
        source = ast.unparse(Smaller(batch, other).visit(ast.parse(text)))
        try:
            value = runs(source, limit)
        except Exception as error:
            reasons.append(f"{type(error).__name__}: {str(error)[:100]}")
            continue
        outputs = value if isinstance(value, (list, tuple)) else [value]
        floats = any(torch.is_tensor(x) and x.is_floating_point() for x in outputs)
        print(json.dumps({"source": source, "floats": floats}))
        return 0
    print(json.dumps({"reasons": reasons}))
    return 1


if __name__ == "__main__":
    sys.exit(main())
