"""Counters by Nsight Compute on a real GPU: the right bound for kernels whose bound is known, work
that agrees with arithmetic, and times that do not depend on having asked."""
import unittest

from support import gpu_kernels, kernels
from support.python_kernels import code

N = 1 << 26
COPY = """
__global__ void copy(const float* x, float* y, int n) {
  const float4* from = reinterpret_cast<const float4*>(x);
  int i = blockIdx.x * blockDim.x + threadIdx.x, step = n / 16;
  float4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
  float4* to = reinterpret_cast<float4*>(y);
  to[i] = a; to[i + step] = b; to[i + 2 * step] = c; to[i + 3 * step] = d;
}
"""
ARITHMETIC_ROUNDS = 2048
ARITHMETIC = """
__global__ void arithmetic(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i], b = x[i] + 0.5f, c = x[i] + 0.25f, d = x[i] + 0.125f;
  for (int k = 0; k < 2048; k += 4) {
    a = a * 0.999f + 0.001f; b = b * 0.998f + 0.002f;
    c = c * 0.997f + 0.003f; d = d * 0.996f + 0.004f;
  }
  y[i] = a + b + c + d;
}
"""
REDUCTION = """
__global__ void reduction(const float* x, float* y, int n) {
  float sum = 0;
  const float4* from = reinterpret_cast<const float4*>(x);
  int step = gridDim.x * blockDim.x;
  #pragma unroll 8
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += step) {
    float4 four = from[i];
    sum += (four.x + four.y) + (four.z + four.w);
  }
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(~0u, sum, lane);
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) y[warp] = sum;
}
"""
CHASE = """
__global__ void chase(const float* x, float* y, int n) {
  float at = x[0];
  for (int k = 0; k < 2000; ++k) at = x[((int)(at * 1000) & 0x7fffffff) % n];
  y[threadIdx.x] = at;
}
"""


def request(source, outputs, grid, block=256, n=N, **options):
    io = {"args": [kernels.tensor("x", [n], init={"kind": "randn"}),
                   kernels.tensor("y", [outputs], "output"), kernels.scalar("n", "int", n)],
          "launch": kernels.launch(grid, block)}
    return {"kernel": kernels.kernel(source, io), "num_trials": 10, "timeout": 200,
            "device_metrics": True, **options}


def measured(gpu, body):
    job = gpu.run(body, limit=200)
    result = job["result"]
    assert result["verdict"] == "accepted", result
    status = result["device_metrics_status"]
    if status["state"] in ("no_profiler", "forbidden"):
        raise unittest.SkipTest(f"{status['reason']}: {status['advice']}")
    assert status["state"] == "collected", status
    return result


def rule_of(result):
    return result["device_metrics"]["custom_device_metrics"]["findings"][0]["rule"]


def test_a_copy_is_memory_bound_and_its_bytes_are_counted(gpu):
    result = measured(gpu, request(COPY, N, N // 16 // 256))
    assert rule_of(result) == "memory_bound"
    call = result["device_metrics"]["custom_device_metrics"]
    assert call["roofline_metrics"]["flop_count_total"] == 0
    assert abs(call["roofline_metrics"]["dram_bytes_sum"] / (8 * N) - 1) < 0.1


def test_arithmetic_is_compute_bound_and_its_work_is_counted(gpu):
    n = 1 << 22
    result = measured(gpu, request(ARITHMETIC, n, n // 256, n=n))
    assert rule_of(result) == "compute_bound"
    work = result["device_metrics"]["custom_device_metrics"]["roofline_metrics"]
    expected = n * (2 * ARITHMETIC_ROUNDS + 6)  # and three additions before the loop, three after
    assert abs(work["flop_count_total"] / expected - 1) < 0.01, work


def test_a_reduction_is_memory_bound(gpu):
    result = measured(gpu, request(REDUCTION, 132 * 8 * 8, 132 * 8))
    assert rule_of(result) == "memory_bound"


def test_a_chase_of_pointers_is_latency_bound(gpu):
    result = measured(gpu, request(CHASE, 32, 1, 32, n=1 << 20))
    assert rule_of(result) == "latency_bound"
    rules = [finding["rule"] for finding in
             result["device_metrics"]["custom_device_metrics"]["findings"]]
    assert "small_grid" in rules


def test_times_do_not_depend_on_having_asked(gpu):
    def median(**options):
        body = request(COPY, N, N // 16 // 256, **options)
        return gpu.run(body, limit=200)["result"]["candidate_timing"]["statistics_ns"]["median"]

    # One after the other, so that a change of the machine meets both.
    pairs = [(median(device_metrics=False), median(device_metrics={"sections": ["SpeedOfLight"]}))
             for _ in range(3)]
    ratios = sorted(asked / plain for plain, asked in pairs)
    assert abs(ratios[1] - 1) < 0.03, pairs


def test_kernels_of_load_inline_are_measured(gpu):
    result = measured(gpu, {"reference": code(gpu_kernels.REFERENCE, "torch"),
                            "kernel": code(gpu_kernels.TORCH_CUDA, "torch_cuda"),
                            "num_trials": 10, "timeout": 200, "device_metrics": True})
    launches = result["device_metrics"]["custom_device_metrics"]["launches"]
    assert any("add_relu" in launch["kernel"] for launch in launches)
    assert "original_device_metrics" in result["device_metrics"]


def test_a_metric_that_the_gpu_lacks_is_refused_before_it_runs(gpu):
    body = request(COPY, N, N // 16 // 256, device_metrics={"metrics": ["dram_bytes.sum"]})
    answer = gpu.post("/v1/jobs", body)
    if answer.status == 202:
        raise unittest.SkipTest("no CUPTI host library here")
    assert answer.status == 400 and "did you mean dram__bytes" in answer.text


def test_counters_of_the_same_build_are_read_once(gpu):
    body = request(COPY + "// read once\n", N, N // 16 // 256)
    first, second = measured(gpu, body), measured(gpu, body)
    assert "cached" not in first["device_metrics_status"]
    assert second["device_metrics_status"]["cached"] == ["custom"]
    assert second["device_metrics_status"]["seconds"] < 1


def test_chosen_kernels_alone_are_profiled(gpu):
    for kernels_asked in ({"name": "^copy$"}, {"share": 0.5}, {"first_of_each_grid": True}):
        result = measured(gpu, request(COPY, N, N // 16 // 256, device_metrics={"kernels": kernels_asked}))
        launches = result["device_metrics"]["custom_device_metrics"]["launches"]
        assert [launch["kernel"].split("(")[0] for launch in launches] == ["copy"]
        assert result["device_metrics_status"]["kernels"]


def test_several_runs_agree_within_a_tenth(gpu):
    result = measured(gpu, request(COPY, N, N // 16 // 256, device_metrics={"runs": 3}))
    call = result["device_metrics"]["custom_device_metrics"]
    spread = call["spread"]["timing_metrics"]["gpu_time_duration_sum"]
    assert call["runs"] == 3
    assert spread["max"] < 1.1 * spread["min"]


MATMUL = """
__global__ void matmul(const float* x, float* y, int n) {
  __shared__ float a[16][16], b[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    a[threadIdx.y][threadIdx.x] = x[row * n + tile + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = x[(tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  y[row * n + column] = sum;
}
"""
SIDE = 1024
# Times differ from run to run, and with them what is given per second. These do not.
EXACT = ["l1_load_sectors_per_req", "l1_store_sectors_per_req", "shared_bank_conflicts_load_sum",
         "shared_bank_conflicts_store_sum", "dram_bytes_sum", "flop_count_total", "registers_per_thread",
         "grid_size", "block_size", "theoretical_occupancy_pct", "waves_per_sm"]
IN_TIME = ["gpu_time_duration_sum", "compute_throughput_pct", "memory_throughput_pct", "warp_occupancy_pct"]
# What a kernel that hardly uses the memory moves differs from run to run.
NOTHING = {"dram_bytes_sum": 64 << 10, "compute_throughput_pct": 1, "memory_throughput_pct": 1}


def matmul_request(**options):
    body = request(MATMUL, SIDE * SIDE, 1, n=SIDE * SIDE, **options)
    io = body["kernel"]["io"]
    io["args"][2] = kernels.scalar("n", "int", SIDE)
    io["launch"] = {"grid": {"x": SIDE // 16, "y": SIDE // 16, "z": 1}, "block": {"x": 16, "y": 16, "z": 1}}
    return body


def numbers_of(call):
    """What stands in the groups, each number once."""
    return {key: value for group in call.values() if isinstance(group, dict) for key, value in group.items()
            if isinstance(value, float | int)}


def apart(key, one, other):
    if max(abs(one), abs(other)) < NOTHING.get(key, 0):
        return 0
    return abs(one - other) / max(abs(one), abs(other), 1e-9)


def agree(gpu, name, body):
    """Both collectors over one kernel: prints all that they say, and fails where they differ by
    more than their runs do."""
    found, seconds, rules = {}, {}, {}
    for collector in ("cupti", "ncu"):
        result = measured(gpu, {**body, "num_trials": 3, "device_metrics": {"collector": collector, "fresh": True}})
        status, call = result["device_metrics_status"], result["device_metrics"]["custom_device_metrics"]
        print(f"{name}: {collector} asked: {status['collectors']}, {status['seconds']:.2f} s", flush=True)
        assert status["collectors"]["custom"]["by"] == collector, status
        found[collector], seconds[collector] = numbers_of(call), status["seconds"]
        rules[collector] = call["findings"][0]["rule"]
    ncu, cupti = found["ncu"], found["cupti"]
    both = {key: apart(key, ncu[key], cupti[key]) for key in ncu if key in cupti}
    for key, far in sorted(both.items(), key=lambda item: -item[1]):
        print(f"  {key:<44} ncu {ncu[key]:>14.6g}  cupti {cupti[key]:>14.6g}  {100 * far:6.2f} %")
    print(f"  of ncu alone: {sorted(set(ncu) - set(cupti))}; of cupti alone: {sorted(set(cupti) - set(ncu))}")
    print(f"  {name}: {len(both)} numbers, at most {100 * max(both.values()):.2f} % apart; "
          f"ncu {seconds['ncu']:.2f} s, cupti {seconds['cupti']:.2f} s", flush=True)
    wrong = [key for key in EXACT if key in ncu and both.get(key, 1) > 0.02]
    wrong += [key for key in IN_TIME if key in ncu and both.get(key, 1) > 0.1]
    assert not wrong, {key: (ncu[key], cupti.get(key)) for key in wrong}
    assert rules["ncu"] == rules["cupti"]
    assert seconds["cupti"] < 1


def test_cupti_agrees_about_a_copy(gpu):
    agree(gpu, "copy", request(COPY, N, N // 16 // 256))


def test_cupti_agrees_about_a_matmul(gpu):
    agree(gpu, "matmul", matmul_request())


def test_cupti_agrees_about_a_reduction(gpu):
    agree(gpu, "reduction", request(REDUCTION, 132 * 8 * 8, 132 * 8))


def test_cupti_agrees_about_a_chase_of_pointers(gpu):
    agree(gpu, "chase", request(CHASE, 32, 1, 32, n=1 << 20))


def test_what_cupti_cannot_give_comes_from_nsight_compute(gpu):
    body = request(COPY, N, N // 16 // 256, num_trials=3,
                   device_metrics={"collector": "cupti", "sections": ["SpeedOfLight"]})
    used = measured(gpu, body)["device_metrics_status"]["collectors"]["custom"]
    assert used["by"] == "ncu" and "sections" in used["reason"]
