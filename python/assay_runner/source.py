"""Runs a kernel's source as a module named `kernel`, in a file `kernel.py`."""

from __future__ import annotations

import ast
import linecache
import pathlib
import sys
import types
from typing import Any, Mapping

from assay_runner.failures import KERNEL_FILE, submitted_code
from assay_runner.verdicts import did_not_compile

MODULE_NAME = "kernel"
DEEPEST_RECURSION = 100_000
_BYTE_ORDER_MARK = "\ufeff"


def bound_recursion() -> None:
    """A kernel may raise the limit, but not so far that a recursion without end takes all of its
    memory, and minutes for it, instead of becoming an exception."""
    set_limit = sys.setrecursionlimit

    def bounded(limit: int) -> None:
        set_limit(min(limit, DEEPEST_RECURSION))

    sys.setrecursionlimit = bounded


class _Constants(ast.NodeTransformer):
    """Gives names that a module assigns at its top other values."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self.found: set[str] = set()

    def visit_Module(self, node: ast.Module) -> ast.Module:
        for part in node.body:
            if isinstance(part, ast.AnnAssign):
                part.value = self._value(part.target, part.value)
            elif isinstance(part, ast.Assign) and len(part.targets) == 1:
                part.value = self._value(part.targets[0], part.value)
        return ast.fix_missing_locations(node)

    def _value(self, target: ast.expr, value: Any) -> Any:
        if isinstance(target, ast.Name) and target.id in self._values:
            self.found.add(target.id)
            return ast.copy_location(_literal(self._values[target.id]), target)
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            value.elts = [self._value(*pair) for pair in zip(target.elts, value.elts)]
        return value


def _literal(value: Any) -> ast.expr:
    return ast.parse(repr(tuple(value) if isinstance(value, list) else value), mode="eval").body


def _compiled(text: str, constants: Mapping[str, Any], must_have: bool) -> types.CodeType:
    if not constants:
        return compile(text, KERNEL_FILE, "exec")
    changed = _Constants(constants)
    tree = changed.visit(ast.parse(text, KERNEL_FILE))
    missing = sorted(set(constants) - changed.found)
    if missing and must_have:
        raise did_not_compile(f"a workload sets '{missing[0]}', but the source of the reference assigns no such name "
                              "at its top")
    return compile(tree, KERNEL_FILE, "exec")


def load_source(text: str, constants: Mapping[str, Any] | None = None, must_have: bool = False) -> types.ModuleType:
    """With other `constants` at its top than are written there; `must_have`: it must have them all."""
    bound_recursion()
    text = text.removeprefix(_BYTE_ORDER_MARK)  # as in a file that Python reads
    module = types.ModuleType(MODULE_NAME)
    # A real file, because inspect, Triton and torch.jit look for one; relative, as the author wrote
    # it, because it is what tracebacks show.
    path = pathlib.Path.cwd() / KERNEL_FILE
    path.write_text(text, encoding="utf-8")
    module.__file__ = str(path)
    linecache.cache[KERNEL_FILE] = (len(text), None, text.splitlines(keepends=True), KERNEL_FILE)
    sys.modules[MODULE_NAME] = module
    with submitted_code(loading=True):
        code = _compiled(text, constants or {}, must_have)
        exec(code, module.__dict__)
    return module
