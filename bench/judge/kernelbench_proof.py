#!/usr/bin/env python3
"""Whether the judge tells right from wrong on KernelBench's models, on the cpu device.

Each model, with its sizes cut, is held against itself and against itself computed in float64: both must be accepted, also
under changed distributions of inputs. Then against outputs that are slightly wrong: each must be refused, or the check
called weak. What was done is kept in a file of lines, so that a stopped run goes on where it was.

    python3 bench/judge/kernelbench_proof.py FOLDER --every 10 --results FILE
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.server import Server  # noqa: E402

PATIENCE = 600  # seconds: a busy machine must not make a verdict of its own
WRAPPED = """
def _changed(x):
    if isinstance(x, (list, tuple)):
        return type(x)(_changed(item) for item in x)
    if not torch.is_tensor(x) or not x.is_floating_point():
        return x
    return _change(x)

class ModelNew(Model):
    def forward(self, *args):
        return _changed(super().forward(*args))
"""
EXACT = """
import copy
class ModelNew(Model):
    def forward(self, *args):
        wide = copy.deepcopy(self).double()
        found = super(ModelNew, wide).forward(*[x.double() if torch.is_tensor(x) and x.is_floating_point() else x
                                                for x in args])
        back = lambda x: x.float() if torch.is_tensor(x) and x.is_floating_point() else x
        return type(found)(back(x) for x in found) if isinstance(found, (list, tuple)) else back(found)
"""
HONEST = {"itself": "\nclass ModelNew(Model):\n    pass\n", "in_float64": EXACT}
WRONG = {
    "times_1.02": "x * 1.02",
    "bfloat16": "x.bfloat16().to(x.dtype)",
    "one_row": "torch.cat([x.flatten()[:-1], x.flatten()[-1:] * 1.3 + x.float().abs().mean().to(x.dtype)]).view(x.shape)",
    "zeros": "torch.zeros_like(x)",
}


def candidates(cut):
    sources = {name: cut["source"] + text for name, text in HONEST.items()}
    if cut["floats"]:
        for name, expression in WRONG.items():
            sources[name] = f"{cut['source']}\ndef _change(x):\n    return {expression}\n{WRAPPED}"
    return sources


def judged(server, reference, candidate, rounds):
    job = server.run({"reference": {"source_code": reference, "kernel_type": "torch"},
                      "candidate": {"source_code": candidate, "kernel_type": "torch"},
                      "rounds": rounds, "num_trials": 1, "warmup": 0, "timeout": PATIENCE}, limit=2 * PATIENCE, interval=0.1)
    result = job.get("result") or {}
    warnings = result.get("warnings") or []
    check = result.get("check") or {}
    return {"verdict": job.get("verdict") or job["state"], "reason": result.get("reason", ""),
            "weak": sorted({name for warning in warnings for name in warning.get("passes", [])}),
            "inputs": check.get("inputs"), "tolerance": check.get("tolerance")}


def is_right(row):
    if row["variant"] in HONEST:
        return row["verdict"] == "accepted"
    return row["verdict"] in ("wrong_answer", "tampered") or bool(row["weak"])


def cut_of(python, model):
    program = pathlib.Path(__file__).with_name("cut_models.py")
    try:
        ran = subprocess.run([python, str(program), str(model)], capture_output=True, text=True, timeout=PATIENCE,
                             check=False)
    except subprocess.TimeoutExpired:
        return {"reasons": ["it takes too long"]}
    try:
        return json.loads(ran.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return {"reasons": [ran.stderr[-200:]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=6, help="of honest ones: all but two have changed inputs")
    parser.add_argument("--variants", nargs="*", default=[*HONEST, *WRONG])
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=str(pathlib.Path.home() / ".cache/assay/python/bin/python"))
    options = parser.parse_args()
    models = sorted(options.models.glob("level*/*.py"))[options.first::options.every]
    known = [json.loads(line) for line in options.results.read_text().splitlines()] if options.results.exists() else []
    done = {(row["model"], row["variant"]) for row in known}
    with tempfile.TemporaryDirectory() as folder, options.results.open("a") as results:
        server = Server(pathlib.Path(folder) / "data", pathlib.Path(folder) / "cache").start()
        try:
            for model in models:
                name = f"{model.parent.name}/{model.stem}"
                if all((name, variant) in done for variant in options.variants):
                    continue
                cut = cut_of(options.python, model)
                if "source" not in cut:
                    print(f"{name}: cannot be cut: {cut['reasons']}", flush=True)
                    continue
                for variant, source in candidates(cut).items():
                    if variant not in options.variants or (name, variant) in done:
                        continue
                    rounds = options.rounds if variant in HONEST else 3
                    row = {"model": name, "variant": variant, **judged(server, cut["source"], source, rounds)}
                    known.append(row)
                    print(json.dumps(row), file=results, flush=True)
                    if not is_right(row):
                        print(f"{name} {variant}: {row['verdict']} {row['reason'][:300]}", flush=True)
        finally:
            server.stop()
    for variant in options.variants:
        rows = [row for row in known if row["variant"] == variant]
        print(f"{variant:12} {sum(map(is_right, rows))} of {len(rows)} as they should be, "
              f"{sum(bool(row['weak']) for row in rows)} with a weak check")
    return 0 if all(map(is_right, known)) else 1


if __name__ == "__main__":
    sys.exit(main())
