"""Tensors of gigabytes: made, changed and compared where they lie."""
import subprocess
import unittest

from support.server import BINARY

COUNT = 256 << 20  # a gibibyte of floats
MODEL = f"""
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.rand(4096, {COUNT // 4096}) - 0.5]

def get_init_inputs():
    return []
"""
ONE_WRONG = MODEL.replace("return torch.relu(x)", """out = torch.relu(x)
        out[1234, 567] += 1
        return out""")
ONLY_ON_THE_HOST = MODEL.replace(f"torch.rand(4096, {COUNT // 4096}) - 0.5",
                                 f"torch.randn(64, 4096, generator=torch.Generator().manual_seed({{seed}}))")


def compare(gpu, reference, candidate):
    return gpu.run({"reference": {"source_code": reference, "kernel_type": "torch"},
                    "candidate": {"source_code": candidate, "kernel_type": "torch"},
                    "num_trials": 20, "timeout": 120}, limit=150)


def test_gpu_judges_as_the_processor_does(gpu):
    run = subprocess.run([BINARY, "judge-check", "--device-code", gpu.data_dir / "device_code", "--cases", "60"],
                         capture_output=True, text=True)
    if "cannot reach this GPU's memory" in run.stderr:
        raise unittest.SkipTest(run.stderr)
    assert run.returncode == 0, run.stderr
    print(run.stdout.strip())


def test_a_gibibyte_is_judged_without_the_hosts_memory(gpu):
    job = compare(gpu, MODEL, MODEL)
    assert job["verdict"] == "accepted", job
    assert job["result"]["check"]["inputs_made_on"] == "device"
    for worker in gpu.workers():
        status = open(f"/proc/{worker}/status").read()
        peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
        assert peak < 2 << 30, status
    print({phase["state"]: phase.get("duration_ms") for phase in job["phases"]})


def test_one_wrong_element_of_a_gibibyte_is_found(gpu):
    job = compare(gpu, MODEL, ONE_WRONG)
    assert job["verdict"] == "wrong_answer", job
    assert "1 of 268435456 elements" in job["result"]["details"]["summary"], job["result"]
    assert job["result"]["details"]["first_mismatch"]["index"] == [1234, 567], job["result"]


def test_gigabytes_of_weights_take_no_time_to_make(gpu):
    source = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(16384, 8192)
        self.weight = torch.nn.Parameter(torch.randn(8192, 16384) / 128)

    def forward(self, x):
        return self.linear(x) + torch.nn.functional.linear(x, self.weight)

def get_inputs():
    return [torch.rand(64, 16384)]

def get_init_inputs():
    return []
"""
    small = ONLY_ON_THE_HOST.format(seed=1)
    compare(gpu, small, small)  # waits for Python, where this is the first job
    job = compare(gpu, source, source)
    assert job["verdict"] == "accepted", job
    spent = {phase["state"]: phase.get("duration_ms") for phase in job["phases"]}
    print(spent)
    assert spent["checking"] < 6000, spent  # on the host 8 s for each of the two models


def test_inputs_that_the_gpu_cannot_make_are_made_as_written(gpu):
    source = ONLY_ON_THE_HOST.format(seed="torch.initial_seed() % 1000")
    job = compare(gpu, source, source)
    assert job["verdict"] == "accepted", job
    assert "inputs_made_on" not in job["result"]["check"], job["result"]["check"]
