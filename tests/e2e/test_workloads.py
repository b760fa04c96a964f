"""A request may name other sizes: a candidate must be right at each, in an order that it cannot know."""
import pytest

REFERENCE = """
import torch

rows, width = 8, 64
total = rows * width


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(width))

    def forward(self, x):
        return torch.relu(x * self.weight)


def get_inputs():
    return [torch.randn(total).view(rows, width)]


def get_init_inputs():
    return [width]
"""
GENERAL = """
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(width))

    def forward(self, x):
        return (x * self.weight).clamp_min(0)
"""
OF_ONE_SIZE = GENERAL.replace("(x * self.weight)", "(x * self.weight * (1 if x.shape[0] == 8 else 2))")
FITTED = GENERAL.replace("import torch\n", "import torch\nrows = 8\n", 1).replace(
    "def forward(self, x):", "def forward(self, x):\n        assert x.shape[0] == rows")
SIZES = [{"constants": {"rows": 3}}, {"name": "wide", "constants": {"rows": 5, "width": 100}}]

CUDA = """
extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < LIMIT) out[i] = 2 * x[i];
}
"""


def judged(server, reference, candidate, workloads, **options):
    return server.run({"reference": reference, "candidate": candidate, "workloads": workloads, "num_trials": 10,
                       **options}, limit=300)


def torch_kernel(source):
    return {"source_code": source, "kernel_type": "torch"}


def test_a_kernel_that_is_right_at_every_size_is_accepted(server):
    for source in (GENERAL, FITTED):
        job = judged(server, torch_kernel(REFERENCE), torch_kernel(source), SIZES)
        assert job["verdict"] == "accepted", job["result"]
        found = job["result"]["check"]["workloads"]
        assert {row["name"] for row in found} == {"workload 1", "wide"}
        assert all(row["verdict"] == "accepted" and row["rounds_passed"] == 3 for row in found)


def test_a_kernel_of_one_size_is_refused_by_the_name_of_another(server):
    job = judged(server, torch_kernel(REFERENCE), torch_kernel(OF_ONE_SIZE), SIZES)
    assert job["verdict"] == "wrong_answer"
    assert "in the workload '" in job["result"]["reason"]
    assert "candidate_timing" not in job["result"]
    assert job["result"]["check"]["workloads"][-1]["verdict"] == "wrong_answer"


def test_the_order_differs_from_job_to_job(server):
    sizes = [{"name": str(rows), "constants": {"rows": rows}} for rows in (2, 3, 4, 5)]
    orders = set()
    for _ in range(6):
        job = judged(server, torch_kernel(REFERENCE), torch_kernel(GENERAL), sizes, rounds=1)
        assert job["verdict"] == "accepted", job["result"]
        orders.add(tuple(row["name"] for row in job["result"]["check"]["workloads"]))
    assert len(orders) > 1


def test_a_constant_that_the_reference_has_not_is_named(server):
    job = judged(server, torch_kernel(REFERENCE), torch_kernel(GENERAL), [{"constants": {"depth": 3}}])
    assert job["verdict"] == "reference_failed"
    assert "'depth'" in job["result"]["reason"]


def contract(n, *others):
    spec = {"shape": [n], "init": {"kind": "randn"}}
    return {"args": [{"name": "x", "type": "tensor", "tensor_spec": spec}, *others],
            "launch": {"grid": {"x": 2}, "block": {"x": 256}}}


@pytest.mark.parametrize("limit, verdict", [("n", "accepted"), ("500", "wrong_answer")])
def test_shapes_and_numbers_of_a_contract_change(server, limit, verdict):
    others = [{"name": "out", "type": "tensor", "role": "output", "tensor_spec": {"shape": [500]}},
              {"name": "n", "type": "int", "value": 500}]
    candidate = {"source_code": CUDA.replace("LIMIT", limit), "kernel_type": "cuda", "io": contract(500, *others)}
    reference = {"source_code": "def reference(x):\n    return 2 * x\n", "kernel_type": "torch",
                 "io": {"args": contract(500)["args"]}, "metadata": {"function_name": "reference"}}
    job = judged(server, reference, candidate,
                 [{"name": "long", "args": {"x": [3001], "out": [3001], "n": 3001},
                   "launch": {"grid": {"x": 12}, "block": {"x": 256}}}])
    assert job["verdict"] == verdict, job["result"]
    assert [row["name"] for row in job["result"]["check"]["workloads"]] == ["long"]


def test_other_routes_know_no_workloads(server):
    answer = server.post("/v1/jobs", {"kernel": torch_kernel(GENERAL), "workloads": [{}]})
    assert answer.status in (400, 422) and "reference" in answer.text
