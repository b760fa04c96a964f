"""What simt reports about kernels that are wrong: sanitizers, seeded schedules, wild accesses."""
import pytest

from support import kernels

N = 256


def io(n=N, block=64):
    return {"args": [kernels.tensor("x", [n], init={"kind": "randn"}),
                     kernels.tensor("y", [n], "output")],
            "launch": kernels.launch(n // block, block)}


def line_marked(source, mark):
    """The line that ends with the comment `// @mark`, counted from 1."""
    return 1 + next(i for i, text in enumerate(source.splitlines()) if text.endswith(f"// @{mark}"))


def run(server, source, *sanitize, **options):
    body = kernels.evaluate(source, io(), num_trials=1, rounds=1, warmup=0, **options)
    if sanitize:
        body["sanitize"] = list(sanitize)
    job = server.run(body)
    assert job["state"] == "done", job
    return job


def only_finding(job):
    findings = job["result"]["findings"]
    assert len(findings) == 1, findings
    return findings[0]


PAST_THE_END = """
__global__ void f(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i + 1] = x[i];  // @write
}
"""


def test_memory_names_array_index_thread_block_and_line(server):
    job = run(server, PAST_THE_END, "memory")
    assert job["verdict"] == "crashed"
    finding = only_finding(job)
    assert finding["kind"] == "out_of_bounds"
    assert (finding["array"], finding["index"]) == ("y", N)
    place = finding["place"]
    assert (place["thread"], place["block"]) == ([63, 0, 0], [3, 0, 0])
    assert place["line"] == line_marked(PAST_THE_END, "write")
    assert place["is_write"] is True
    assert "index 256 of y" in job["result"]["reason"]
    line = line_marked(PAST_THE_END, "write")
    assert job["result"]["reason"].endswith(f"; thread 63 of block 3, line {line}")
    assert "next_step" not in job["result"]


def test_memory_knows_shared_arrays_and_alignment(server):
    source = """
__global__ void f(const float* x, float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x + 1];  // @read
}
"""
    finding = only_finding(run(server, source, "memory"))
    assert (finding["kind"], finding["array"], finding["index"]) == ("out_of_bounds", "tile", 64)
    assert finding["place"]["line"] == line_marked(source, "read")
    assert finding["place"]["is_write"] is False

    source = """
__global__ void f(const float* x, float* y) {
  float4 v = *reinterpret_cast<const float4*>(x + 1);  // @load
  y[threadIdx.x] = v.x;
}
"""
    finding = only_finding(run(server, source, "memory"))
    assert (finding["kind"], finding["array"]) == ("misaligned", "x")
    assert finding["place"]["line"] == line_marked(source, "load")


def test_race_names_both_threads_and_both_lines(server):
    source = """
__global__ void f(const float* x, float* y) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = x[i];  // @write
  y[i] = tile[63 - threadIdx.x];  // @read
}
"""
    job = run(server, source, "race")
    assert job["verdict"] == "non_deterministic"
    finding = job["result"]["findings"][0]
    assert (finding["kind"], finding["array"]) == ("race", "tile")
    lines = {finding["place"]["line"], finding["other"]["line"]}
    assert lines == {line_marked(source, "write"), line_marked(source, "read")}
    assert finding["place"]["thread"] != finding["other"]["thread"]
    assert finding["place"]["block"] == finding["other"]["block"]
    assert finding["place"]["is_write"] or finding["other"]["is_write"]


def test_race_between_blocks_on_global_memory(server):
    source = """
__global__ void f(const float* x, float* y) {
  y[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];  // @write
}
"""
    finding = run(server, source, "race")["result"]["findings"][0]
    assert (finding["kind"], finding["array"]) == ("race", "y")
    assert finding["place"]["block"] != finding["other"]["block"]
    assert finding["place"]["line"] == finding["other"]["line"] == line_marked(source, "write")


def test_init_names_what_was_read_before_anything_wrote_it(server):
    source = """
__global__ void f(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += x[i];  // @sum
}
"""
    job = run(server, source, "init")
    assert job["verdict"] == "non_deterministic"
    finding = only_finding(job)
    assert (finding["kind"], finding["array"], finding["index"]) == ("uninitialised_read", "y", 0)
    assert finding["place"]["line"] == line_marked(source, "sum")
    assert (finding["place"]["thread"], finding["place"]["block"]) == ([0, 0, 0], [0, 0, 0])


def test_sync_names_the_barrier_and_a_thread_that_left_it_out(server):
    source = """
__global__ void f(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 40) __syncthreads();  // @barrier
  y[i] = x[i];
}
"""
    job = run(server, source, "sync")
    assert job["verdict"] == "crashed"
    finding = job["result"]["findings"][0]
    assert finding["kind"] == "barrier_divergence"
    assert finding["place"]["line"] == line_marked(source, "barrier")
    assert finding["place"]["thread"][0] < 40 <= finding["other"]["thread"][0]


def test_sync_accepts_threads_that_returned_before_the_barrier(server):
    source = """
__global__ void f(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
  if (threadIdx.x >= 40) return;
  __syncthreads();
}
"""
    job = run(server, source, "sync")
    assert job["verdict"] == "accepted", job["result"]


def test_nothing_is_reported_about_a_kernel_that_is_right(server):
    source = """
__global__ void f(const float* x, float* y) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = tile[63 - threadIdx.x] + __shfl_xor_sync(0xffffffffu, tile[threadIdx.x], 1);
}
"""
    job = run(server, source, "memory", "race", "init", "sync")
    assert job["verdict"] == "accepted", job["result"]
    assert "findings" not in job["result"]
    assert job["result"]["candidate_timing"]["method"] == "cpu_wall_clock_instrumented"


# Each block keeps what the thread that happened to come last has written.
LAST_ONE_WINS = """
__global__ void f(const float* x, float* y) {
  __shared__ int last;
  last = threadIdx.x;
  __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = last;
}
"""
ALWAYS_THE_HIGHEST = LAST_ONE_WINS.replace("last = threadIdx.x;", "last = blockDim.x - 1;")


def under_seed(server, seed):
    body = kernels.compare(LAST_ONE_WINS, ALWAYS_THE_HIGHEST, io(), num_trials=1, rounds=1,
                           warmup=0, seed=1)
    if seed is not None:
        body["schedule_seed"] = seed
    job = server.run(body)
    assert job["state"] == "done", job
    return job


def test_kernel_that_depends_on_scheduling_fails_under_some_seed(server):
    assert under_seed(server, None)["verdict"] == "accepted", "the natural order hides the mistake"
    seeds = range(1, 6)
    assert any(under_seed(server, seed)["verdict"] == "wrong_answer" for seed in seeds)


def test_schedule_seed_reproduces_what_it_found(server):
    first, again, other = (under_seed(server, seed) for seed in (11, 11, 12))
    assert first["verdict"] == again["verdict"] == "wrong_answer"
    assert first["result"]["details"] == again["result"]["details"]
    assert first["result"]["details"] != other["result"].get("details")


@pytest.mark.parametrize("target, expected", [
    ("y + 100'000'000", ("y", 100_000_000)),
    ("(float*)16", (None, None)),
])
def test_wild_access_is_explained_without_being_asked(server, target, expected):
    source = f"""
__global__ void f(const float* x, float* y) {{
  if (threadIdx.x == 5 && blockIdx.x == 2)
    *({target}) = x[0];  // @wild
}}
"""
    job = run(server, source)
    assert job["verdict"] == "crashed"
    finding = only_finding(job)
    assert finding["kind"] == "wild_access"
    assert (finding.get("array"), finding.get("index")) == expected
    assert (finding["place"]["thread"], finding["place"]["block"]) == ([5, 0, 0], [2, 0, 0])
    assert finding["place"]["line"] == line_marked(source, "wild")
    assert finding["place"]["is_write"] is True
    assert "in f" in job["result"]["reason"]


def test_write_just_past_the_end_is_told_by_its_offset(server):
    job = run(server, PAST_THE_END)
    assert job["verdict"] == "crashed"
    assert "at byte 1024 of 'y', which has 1024 bytes" in job["result"]["reason"]
    assert "contract" in job["result"]["reason"]
    assert "--sanitize memory" in job["result"]["next_step"]


EXTENSION = """
import torch
from torch.utils.cpp_extension import load_inline

CUDA = '''
__global__ void shift(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i + OFFSET] = x[i] * 2;  // @write
}
torch::Tensor doubled(torch::Tensor x) {
  auto y = torch::empty_like(x);
  shift<<<(x.numel() + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
'''
module = load_inline("doubling", "torch::Tensor doubled(torch::Tensor x);", CUDA,
                     functions=["doubled"])


class Model(torch.nn.Module):
    def forward(self, x):
        return module.doubled(x)


def get_inputs():
    return [torch.randn(256)]
"""


def run_extension(server, offset, **options):
    source = EXTENSION.replace("OFFSET", str(offset))
    body = {"kernel": {"source_code": source, "kernel_type": "torch_cuda"}, "device": "cpu",
            "num_trials": 1, "rounds": 1, "warmup": 0, "timeout": 600, **options}
    job = server.run(body, limit=1200)  # torch's headers are compiled first
    assert job["state"] == "done", job
    return job


def test_memory_checks_the_kernels_of_an_extension_of_torch(server):
    job = run_extension(server, 1, sanitize=["memory"])
    assert job["verdict"] == "crashed", job["result"]
    finding = only_finding(job)
    assert (finding["kind"], finding["index"]) == ("out_of_bounds", 256)
    assert finding["array"] == "argument 2 of shift"
    place = finding["place"]
    assert (place["thread"], place["block"]) == ([63, 0, 0], [3, 0, 0])
    assert place["is_write"] is True
    cuda = EXTENSION.split("CUDA = ")[1]
    assert place["line"] == line_marked(cuda, "write")
    job = run_extension(server, 0, sanitize=["memory", "race", "init", "sync"])
    assert job["verdict"] == "accepted", job["result"]


def test_wild_access_in_an_extension_is_explained_without_being_asked(server):
    job = run_extension(server, 1_000_000_000)
    assert job["verdict"] == "crashed"
    finding = only_finding(job)
    assert finding["kind"] == "wild_access"
    assert finding["place"]["block"] == [0, 0, 0]


def test_sanitizers_are_refused_where_they_check_nothing(server):
    body = {"kernel": {"source_code": "def f(x): return x", "kernel_type": "torch"},
            "sanitize": ["memory"]}
    answer = server.request("POST", "/v1/jobs", body)
    assert answer.status in (400, 422)
    assert "not torch" in answer.text
