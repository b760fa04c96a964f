#!/usr/bin/env python3
"""How true the times are on this GPU: the proof behind docs/timing.md.

Holds kernels against themselves, against slowdowns that the GPU's own cycle counter makes, and
against attacks on the clock. Prints a table, and exits 1 where an aim was missed.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.server import Server  # noqa: E402

ATTACKS = ROOT / "tests" / "adversarial" / "clock"
TRUE_ENOUGH = 1.25  # an attack may seem no faster than this: a time of 0.8 of the true one

SPIN = """
__global__ void spin(const float* x, float* y, int n, long long cycles) {
  const long long start = clock64();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2.0f;
  while (clock64() - start < cycles) {}
}
"""
SCALE = """
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2.0f + 1.0f;
}
"""
TRITON = '''
import torch, triton, triton.language as tl

@triton.jit
def relu(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.maximum(tl.load(x + i, mask=i < n), 0.0), mask=i < n)

class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        relu[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), B=1024)
        return y

def get_inputs():
    return [torch.randn(1 << 22)]

def get_init_inputs():
    return []
'''


def torch_model(body, inputs, init=""):
    return f"""
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        {init or 'pass'}

    def forward(self, x):
        return {body}

def get_inputs():
    return [{inputs}]

def get_init_inputs():
    return []
"""


LAYERS = ("self.net = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Conv2d(32, 32, 3, padding=1), "
          "torch.nn.BatchNorm2d(32), torch.nn.ReLU()) for _ in range(30)]).eval()")


def raw(source, n, scalars=()):
    args = [{"name": "x", "type": "tensor", "tensor_spec": {"shape": [n], "init": {"kind": "randn"}}},
            {"name": "y", "type": "tensor", "role": "output", "tensor_spec": {"shape": [n]}},
            {"name": "n", "type": "int", "value": n}]
    args += [{"name": name, "type": "int", "value": value} for name, value in scalars]
    return {"source_code": source, "kernel_type": "cuda",
            "io": {"args": args, "launch": {"grid": {"x": -(-n // 256)}, "block": {"x": 256}}}}


def python(source, kind="torch"):
    return {"source_code": source, "kernel_type": kind}


def spinning(microseconds, factor=1.0):
    """A kernel that lasts as many cycles as it is told; 1 us is 1980 of them at this GPU's clock."""
    return raw(SPIN, 4096, [("cycles", int(1980 * microseconds * factor))])


KERNELS = {
    "raw, 3 us": raw(SCALE, 1 << 16),
    "raw, 20 us": spinning(20),
    "raw, 0.1 ms": raw(SCALE, 1 << 25),
    "triton relu, 16 MB": python(TRITON, "triton"),
    "torch relu, 1 launch": python(torch_model("torch.relu(x)", "torch.randn(1 << 20)")),
    "torch, 4 launches": python(torch_model("torch.tanh(torch.relu(x) + 1) * x",
                                            "torch.randn(1 << 20)")),
    "torch, 90 layers": python(torch_model("self.net(x)", "torch.randn(2, 32, 56, 56)", LAYERS)),
    "torch matmul, 20 ms": python(torch_model("torch.linalg.multi_dot([x] * 16)",
                                              "torch.randn(4096, 4096) / 64")),
}


def why(job):
    details = (job.get("result") or {}).get("details") or {}
    return str(details.get("summary") or details.get("reason") or job.get("reason") or job.get("error") or "")


class Proof:
    def __init__(self, server):
        self.server = server
        self.rows = []
        self.missed = 0

    def judge(self, reference, candidate, **more):
        body = {"reference": reference, "candidate": candidate, "num_trials": 100, "rounds": 2,
                "timeout": 120, **more}
        job = self.server.run(body, limit=300, interval=0.003)
        return job

    def row(self, what, seen, aim, met):
        self.missed += not met
        self.rows.append((what, seen, aim, "ok" if met else "MISSED"))
        print(f"{what:<34} {seen:<58} {aim:<18} {'ok' if met else 'MISSED'}", flush=True)

    def against_itself(self, name, kernel, jobs):
        ratios, times, trusts, verdicts, took = [], [], set(), [], []
        for _ in range(jobs):
            started = time.perf_counter()
            job = self.judge(kernel, kernel)
            took.append(time.perf_counter() - started)
            if job.get("verdict") != "accepted":
                verdicts.append(job.get("verdict") or job["state"])
                print(why(job), flush=True)
                continue
            result = job["result"]
            if "device_time" not in result["candidate_timing"]:
                verdicts.append("claimed")
                print(result["candidate_timing"].get("trust_reason"), flush=True)
                continue
            verdicts.append(result["speed"]["verdict"])
            ratios.append(result["speed"]["speedup"])
            times.append(result["candidate_timing"]["device_time"]["ns"] / 1e3)
            trusts.add(f"{result['candidate_timing'].get('trust')} by {result['candidate_timing']['method']}")
        called = sum(verdict not in ("same", "undecided") for verdict in verdicts)
        if not times:
            return self.row(name, f"{verdicts}", "", False)
        cv = 100 * statistics.pstdev(times) / statistics.mean(times)
        self.row(f"itself: {name}", f"{called} of {jobs} different, ratios {min(ratios):.3f} to {max(ratios):.3f}, "
                 f"{verdicts.count('undecided')} undecided", "0 different", called == 0)
        aim = 1.5 if statistics.median(times) < 5 else 0.5
        self.row(f"  headline of {jobs} jobs", f"{statistics.median(times):.2f} us, CV {cv:.2f} %, "
                 f"{sorted(trusts)}, {statistics.median(took):.2f} s a job "
                 f"{result['candidate_timing'].get('trust_reason', '')[72:98]}", f"CV < {aim} %", cv < aim)

    def slowdown(self, microseconds, percent, jobs):
        right, ratios = 0, []
        for _ in range(jobs):
            job = self.judge(spinning(microseconds), spinning(microseconds, 1 + percent / 100),
                             timing={"threshold": 0.01})
            speed = job.get("result", {}).get("speed") or {}
            ratios.append(speed.get("speedup", 0))
            right += speed.get("verdict") == "slower"
        self.row(f"{percent} % slower, {microseconds} us", f"{right} of {jobs} called slower, ratios "
                 f"{min(ratios):.4f} to {max(ratios):.4f}", "19 of 20", right >= 0.95 * jobs)

    def attack(self, path):
        source = path.read_text()
        job = self.judge(python((ATTACKS / "reference.py").read_text()), python(source))
        speedup = ((job.get("result") or {}).get("speed") or {}).get("speedup", 0)
        fooled = job.get("verdict") == "accepted" and speedup > TRUE_ENOUGH
        rule = (job.get("result") or {}).get("rule", "")
        self.row(f"attack: {path.stem}", f"{job.get('verdict') or job['state']} {rule} {speedup:.2f} "
                 f"{why(job)[:90]}", "not fooled", not fooled)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=25, help="of each kernel against itself")
    parser.add_argument("--slow-jobs", type=int, default=25, help="of each slowdown")
    parser.add_argument("--only", default="", help="itself, slower or attack")
    parser.add_argument("--kernel", default="", help="of the kernels only those with this in their name")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-clock-") as folder:
        path = pathlib.Path(folder)
        server = Server(path / "data", path / "cache", "--devices", "cuda", "--runner-memory",
                        str(32 << 30)).start()
        try:
            proof = Proof(server)
            for name, kernel in KERNELS.items() if options.only in ("", "itself") else ():
                if options.kernel not in name:
                    continue
                proof.against_itself(name, kernel, options.jobs)
            for percent in (2, 5, 10) if options.only in ("", "slower") else ():
                proof.slowdown(100, percent, options.slow_jobs)
            attacks = [p for p in sorted(ATTACKS.glob("*.py")) if p.stem != "reference"]
            for path in attacks if options.only in ("", "attack") else ():
                proof.attack(path)
        finally:
            server.stop()
            print(server.log_path.read_text()[-1500:])
    print(f"{proof.missed} of {len(proof.rows)} aims missed")
    return 1 if proof.missed else 0


if __name__ == "__main__":
    sys.exit(main())
