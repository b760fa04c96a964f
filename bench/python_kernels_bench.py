#!/usr/bin/env python3
"""What comparing small Python kernels costs over HTTP on the cpu device, beside a plain script.

The same two files are compared by a server and by bench/reference/plain_comparison.py in a fresh
interpreter: five rounds of inputs, then timed runs. `cold` is a source that the server has not seen,
`cached` the same request again. A CPU has no script for CUDA to be beside, so torch_cuda stands beside
a script whose load_inline compiles the same function written in C++ (cold: into an empty folder). The
last row is the same pair with a mistake in it: how long until its author is told.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from driver import http_load  # noqa: E402
from support import python_kernels, runner  # noqa: E402
from support.server import Server  # noqa: E402

TRIALS = 10
CLIENTS = 4
AIMS = {"torch": (4, 10), "triton": (4, 10)}  # times faster: cold, cached
SHAPES = {"torch": "softmax", "triton": "softmax", "torch_cuda": "add"}
CPP_ADD = '''
import torch
from torch.utils.cpp_extension import load_inline
SOURCE = """
torch::Tensor add(torch::Tensor a, torch::Tensor b) {
  auto out = torch::empty_like(a);
  const float* x = a.data_ptr<float>();
  const float* y = b.data_ptr<float>();
  float* z = out.data_ptr<float>();
  for (int64_t i = 0; i < a.numel(); ++i) z[i] = x[i] + y[i];
  return out;
}
"""
module = load_inline(name="plain_add", cpp_sources=SOURCE, functions=["add"])
class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return module.add(a, b)
'''


def sources(kind):
    folder = python_kernels.FOLDER / SHAPES[kind]
    return (folder / "reference.py").read_text(), (folder / f"{kind}_right.py").read_text()


def unseen(source, number):
    """The same kernel, under a name that makes it another one, CUDA inside included."""
    mark = f"// {time.time_ns()} {number}"
    return source.replace('"""\n#include', f'"""{mark}\n#include') + f"# {mark}\n"


def body(kind, reference, candidate):
    return json.dumps(python_kernels.compare(
        python_kernels.code(reference, "torch"), python_kernels.code(candidate, kind),
        num_trials=TRIALS, rounds=5, timeout=600)).encode()


def served(server, kind, count):
    """Median seconds cold and cached, evaluations a second, and where the last one's time went."""
    reference, candidate = sources(kind)
    connection = http_load.connect(server)
    http_load.evaluate(connection, body(kind, reference, unseen(candidate, "first")))
    cold = [http_load.evaluate(connection, body(kind, reference, unseen(candidate, number)))[0]
            for number in range(count)]
    again = body(kind, reference, candidate)
    http_load.evaluate(connection, again)
    cached = [http_load.evaluate(connection, again) for _ in range(count)]
    rate = http_load.throughput(server, again, 8 * CLIENTS, CLIENTS)
    job = server.get(f"/v1/jobs/{cached[-1][1]['job_id']}").json
    return (statistics.median(cold), statistics.median(seconds for seconds, _ in cached), rate,
            job["phases"])


def script(python, folder, kind, extensions):
    """Seconds of a plain script in a fresh interpreter."""
    reference, candidate = sources(kind)
    files = [pathlib.Path(folder, name) for name in ("reference.py", "candidate.py")]
    files[0].write_text(reference)
    files[1].write_text(CPP_ADD if kind == "torch_cuda" else candidate)
    environment = {**os.environ, "TRITON_INTERPRET": "1", "TORCH_EXTENSIONS_DIR": str(extensions)}
    started = time.perf_counter()
    subprocess.run([python, ROOT / "bench/reference/plain_comparison.py", *files, str(TRIALS)],
                   check=True, capture_output=True, env=environment)
    return time.perf_counter() - started


def with_mistake(source):
    return source.replace("empty_like", "empty_liek")


def told_of_mistake(server, count):
    """Median seconds until a torch_cuda source that does not compile is refused."""
    reference, candidate = sources("torch_cuda")
    connection = http_load.connect(server)
    return statistics.median(
        http_load.evaluate(connection, body("torch_cuda", reference, unseen(with_mistake(candidate), number)),
                           verdict="did_not_compile")[0]
        for number in range(count))


def script_with_mistake(python, folder):
    """Seconds until a plain script has failed to compile its extension."""
    file = pathlib.Path(folder, "mistake.py")
    file.write_text(with_mistake(CPP_ADD))
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": f"{folder}/extensions-mistake"}
    started = time.perf_counter()
    ended = subprocess.run([python, file], capture_output=True, text=True, env=environment)
    if "empty_liek" not in ended.stderr:
        sys.exit(f"unexpected end of the script: {ended.stderr}")
    return time.perf_counter() - started


def plain(python, folder, kind, count):
    """Median seconds with nothing built, and with all built; only torch_cuda builds anything."""
    kept = pathlib.Path(folder, f"extensions-{kind}")
    first = script(python, folder, kind, kept)
    again = statistics.median(script(python, folder, kind, kept) for _ in range(count))
    return (first if kind == "torch_cuda" else again), again


def aim(kind, which):
    return f" (aim: {AIMS[kind][which]})" if kind in AIMS else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5, help="evaluations for each median")
    options = parser.parse_args()
    python, why = runner.find_python()
    if python is None:
        sys.exit(f"needs a Python with torch and triton: {why}")
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"machine     {os.cpu_count()} cores, load {load}")
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        server = Server(f"{folder}/data", f"{folder}/cache").start()
        try:
            for kind in SHAPES:
                cold, cached, rate, phases = served(server, kind, options.count)
                plain_cold, plain_cached = plain(python, folder, kind, options.count)
                print(f"{kind:11} cold {cold * 1e3:6.0f} ms, the script {plain_cold * 1e3:6.0f} ms: "
                      f"{plain_cold / cold:5.1f} times faster{aim(kind, 0)}")
                print(f"{'':11} cached {cached * 1e3:4.0f} ms, the script {plain_cached * 1e3:6.0f} ms: "
                      f"{plain_cached / cached:5.1f} times faster{aim(kind, 1)}")
                spent = ", ".join(f"{phase['state']} {phase['duration_ms']:.0f}" for phase in phases
                                  if phase.get("duration_ms") is not None)
                print(f"{'':11} {rate:.1f} evaluations/s with {CLIENTS} clients; ms of one: {spent}",
                      flush=True)
            told, plain_told = told_of_mistake(server, options.count), script_with_mistake(python, folder)
            print(f"mistake     told after {told * 1e3:.0f} ms, by the script {plain_told * 1e3:.0f} ms: "
                  f"{plain_told / told:5.1f} times faster")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
