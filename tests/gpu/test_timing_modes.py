"""What a timed call finds in the cache, and how it is launched."""
from support import kernels
from support.gpu_kernels import REFERENCE, TORCH_CUDA, TRITON

MANY_LAUNCHES = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        for _ in range(40):
            x = torch.relu(x + 0.01)
        return x

def get_inputs():
    return [torch.randn(1 << 14)]

def get_init_inputs():
    return []
"""
WAITS = MANY_LAUNCHES.replace("return x\n", "return x * float(x.sum() > -1)\n", 1)


def timed(gpu, source, kind="torch", mode="cold", reference=None):
    job = gpu.run({"reference": {"source_code": reference or source, "kernel_type": "torch"},
                   "candidate": {"source_code": source, "kernel_type": kind},
                   "timing": {"mode": mode}, "timeout": 120}, limit=150)
    assert job["state"] == "done", job
    return job


def time_of(job):
    assert job["verdict"] == "accepted", job["result"].get("reason")
    timing = job["result"]["candidate_timing"]
    print(timing["mode"], timing["trust"], timing["device_time"], timing["host_time"])
    return timing["device_time"]["ns"]


def test_graph_of_many_launches_takes_less_time_than_they_do(gpu):
    job = timed(gpu, MANY_LAUNCHES, mode="graph")
    assert job["result"]["candidate_timing"]["trust"] == "measured_outside", job["result"]["candidate_timing"]
    assert job["result"]["speed"]["verdict"] in ("same", "undecided"), job["result"]["speed"]
    assert time_of(job) < 0.9 * time_of(timed(gpu, MANY_LAUNCHES))


def test_triton_kernels_and_raw_kernels_are_captured(gpu):
    time_of(timed(gpu, TRITON, "triton", "graph", REFERENCE))
    raw = gpu.run({**kernels.compare(kernels.SCALE_STRIDED, io=kernels.scale_io(1 << 20)),
                   "timing": {"mode": "graph"}}, limit=100)
    time_of(raw)


def test_call_that_waits_cannot_be_captured_and_says_why(gpu):
    job = timed(gpu, WAITS, mode="graph")
    assert job["verdict"] in ("unsupported", "reference_failed"), job
    assert "captured as a CUDA graph" in job["result"]["reason"], job["result"]


def test_kernels_on_the_default_stream_are_not_called_tampered(gpu):
    job = timed(gpu, TORCH_CUDA.replace("NUMBER", "8154"), "torch_cuda", "graph", REFERENCE)
    print(job["verdict"], job["result"].get("reason"))
    assert job["verdict"] in ("accepted", "unsupported"), job["result"].get("reason")


def test_warm_cache_makes_a_small_kernel_quicker(gpu):
    source = MANY_LAUNCHES.replace("range(40)", "range(1)").replace("1 << 14", "1 << 20")
    assert time_of(timed(gpu, source, mode="warm")) < time_of(timed(gpu, source))
