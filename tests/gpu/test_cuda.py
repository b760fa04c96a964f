"""Raw CUDA kernels on a real GPU: what must run runs, and is timed by CUDA's own events."""
from support import kernels
from support.kernels import kernel, launch, scalar, tensor

N = 100_000


def compare(candidate, reference, io, candidate_metadata=None, **options):
    return {"ref_kernel": kernel(reference, io), "num_trials": 20,
            "custom_kernel": kernel(candidate, io, **(candidate_metadata or {})), **options}


def accepted(gpu, body):
    job = gpu.run(body)
    assert job["state"] == "done", job
    assert job["verdict"] == "accepted", (job["verdict"], job["result"])
    return job["result"]


def verdict(gpu, body):
    job = gpu.run(body)
    assert job["state"] == "done", job
    return job["verdict"], str(job["result"])


def test_devices_are_listed_with_what_they_are(gpu):
    device = gpu.get("/v1/devices").json["devices"][0]
    assert device["kind"] == "cuda" and device["id"].startswith("cuda:"), device
    assert device["units"] > 0 and device["memory_bytes"] > 1 << 30 and device["driver"], device


def test_kernel_is_accepted_and_timed_with_events(gpu):
    result = accepted(gpu, compare(kernels.SCALE_STRIDED, kernels.SCALE, kernels.scale_io(N)))
    timing = result["candidate_timing"]
    assert timing["method"] == "cuda_events_held", timing
    assert 1_000 < timing["statistics_ns"]["median"] < 1_000_000, timing
    assert "NVRTC" in result["provenance"]["candidate_compiler"], result["provenance"]


def test_build_is_taken_from_the_cache_the_second_time(gpu):
    body = compare(kernels.SCALE_STRIDED, kernels.SCALE, kernels.scale_io(N))
    accepted(gpu, body)
    assert accepted(gpu, body)["provenance"]["candidate_cache_hit"]


def test_extern_c_and_typed_scalars(gpu):
    source = """
    extern "C" __global__ void scale(const float* x, float* y, float a, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = a * x[i];
    }"""
    accepted(gpu, compare(source, kernels.SCALE, kernels.scale_io(N)))


def test_template_through_a_name_expression(gpu):
    source = """
    template <class T, int K>
    __global__ void scale(const T* x, T* y, T a, int n) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] * K;
    }"""
    accepted(gpu, compare(source, kernels.SCALE, kernels.scale_io(N),
                          {"kernel_name": "scale<float, 1>",
                           "name_expressions": ["scale<float, 1>"]}))


def test_half_precision_headers_and_parameters(gpu):
    io = {"args": [tensor("x", [N], dtype="float16", init={"kind": "randn"}),
                   tensor("y", [N], "output", dtype="float16"),
                   scalar("a", "float", 2.5), scalar("n", "int", N)],
          "launch": launch((N + 255) // 256)}
    source = """
    #include <cuda_fp16.h>
    #include <cstdint>
    __global__ void scale(const __half* x, __half* y, __half a, uint32_t n) {
      uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = __hmul(a, x[i]);
    }"""
    accepted(gpu, compare(source, source.replace("__hmul(a, x[i])", "a * x[i]"), io))


SHARED = """
__global__ void turn(const float* x, float* y, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x * 64] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = tile[(blockDim.x - 1 - threadIdx.x) * 64];
}"""
TURN = """
__global__ void turn(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
  if (i < n) y[i] = j < n ? x[j] : 0.0f;
}"""


def turn_io(shared):
    return {"args": [tensor("x", [N], init={"kind": "randn"}), tensor("y", [N], "output"),
                     scalar("n", "int", N)],
            "launch": launch((N + 511) // 512, 512, shared)}


def test_large_shared_memory_is_opted_into(gpu):
    accepted(gpu, compare(SHARED, TURN, turn_io(512 * 64 * 4)))


RESERVED = 1024  # of each block's shared memory, for the system; some drivers count it as static


def test_shared_memory_and_occupancy_are_told(gpu):
    result = accepted(gpu, compare(SHARED, TURN, turn_io(512 * 64 * 4)))
    candidate = result["candidate_resources"]
    assert candidate["dynamic_shared_bytes"] == 512 * 64 * 4, candidate
    assert candidate["static_shared_bytes"] <= RESERVED, candidate
    assert candidate["blocks_per_multiprocessor"] == 1, candidate  # two would need 256 KiB
    assert 0.2 < candidate["occupancy"] < 0.5, candidate
    assert result["reference_resources"]["dynamic_shared_bytes"] == 512 * 64 * 4, result


def test_small_kernel_leaves_the_whole_multiprocessor_to_its_blocks(gpu):
    result = accepted(gpu, compare(kernels.SCALE_STRIDED, kernels.SCALE, kernels.scale_io(N)))
    for resources in (result["candidate_resources"], result["reference_resources"]):
        assert 1 <= resources["registers_per_thread"] <= 32, resources
        assert resources["local_bytes_per_thread"] == 0, resources
        assert resources["spills"] == {"store_bytes": 0, "load_bytes": 0}, resources
        assert resources["max_threads_per_block"] == 1024, resources
        assert resources["blocks_per_multiprocessor"] >= 4, resources
        assert resources["occupancy"] == 1.0, resources


# 64 values live across a barrier, in as many registers as BOUNDS leaves.
CROWDED = """
__global__ void BOUNDS crowd(const float* x, float* y, int n) {
  __shared__ float tile[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float t[64];
  #pragma unroll
  for (int k = 0; k < 64; ++k) t[k] = x[(i + k * 977) % n];
  if (threadIdx.x < 16) tile[threadIdx.x] = 0.5f;
  __syncthreads();
  float s = 0;
  #pragma unroll
  for (int k = 0; k < 64; ++k) s += t[k] * t[63 - k];
  #pragma unroll
  for (int k = 0; k < 64; ++k) s = t[k] + s * tile[i % 16];
  if (i < n) y[i] = s;
}"""


def test_spills_are_told_with_the_memory_they_take(gpu):
    io = {"args": [tensor("x", [N], init={"kind": "uniform"}), tensor("y", [N], "output"),
                   scalar("n", "int", N)],
          "launch": launch((N + 511) // 512, 512)}
    result = accepted(gpu, compare(CROWDED.replace("BOUNDS", "__launch_bounds__(1024, 2)"),
                                   CROWDED.replace("BOUNDS", "__launch_bounds__(512, 1)"), io))
    crowded, roomy = result["candidate_resources"], result["reference_resources"]
    assert crowded["spills"]["store_bytes"] > 0 < crowded["spills"]["load_bytes"], crowded
    assert crowded["local_bytes_per_thread"] > 0 == roomy["local_bytes_per_thread"], result
    assert roomy["spills"] == {"store_bytes": 0, "load_bytes": 0}, roomy
    assert crowded["registers_per_thread"] < roomy["registers_per_thread"], (crowded, roomy)
    assert 64 <= crowded["static_shared_bytes"] <= 64 + RESERVED, crowded
    assert roomy["max_threads_per_block"] == 512, roomy


def test_wrong_answer_comes_with_what_the_kernel_takes(gpu):
    job = gpu.run(compare(kernels.SCALE.replace("a * x[i]", "x[i]"), kernels.SCALE,
                          kernels.scale_io(N)))
    assert job["verdict"] == "wrong_answer", job
    assert job["result"]["candidate_resources"]["registers_per_thread"] > 0, job


def test_more_shared_memory_than_there_is_has_a_clear_reason(gpu):
    source = SHARED.replace("extern __shared__ float tile[];",
                            "extern __shared__ float tile[]; __shared__ float more[8192];"
                            "more[threadIdx.x] = x[0]; if (more[0] == 12345.f) y[0] = more[1];")
    name, text = verdict(gpu, compare(source, TURN, turn_io(227 * 1024)))
    assert name == "crashed" and "shared memory" in text, text


COOPERATIVE = """
#include <cooperative_groups.h>
__global__ void total(const float* x, float* y, int n) {
  auto grid = cooperative_groups::this_grid();
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  if (blockIdx.x == 0 && threadIdx.x == 0) y[0] = 0;
  grid.sync();
  atomicAdd(y, sum);
  grid.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) y[0] *= 2;
}"""
TOTAL = """
__global__ void total(const float* x, float* y, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i];
    y[0] = 2 * (float)sum;
  }
}"""


def total_io(n=10_000, **extra):
    return {"args": [tensor("x", [n], init={"kind": "uniform"}), tensor("y", [1], "output"),
                     scalar("n", "int", n)],
            "launch": {**launch(32, 128), **extra}}


def test_cooperative_launch_lets_the_grid_synchronize(gpu):
    accepted(gpu, compare(COOPERATIVE, TOTAL, total_io(cooperative=True)))


def test_cluster_shares_memory_between_blocks(gpu):
    source = """
    #include <cooperative_groups.h>
    __global__ void total(const float* x, float* y, int n) {
      namespace cg = cooperative_groups;
      auto cluster = cg::this_cluster();
      __shared__ float sum;
      if (threadIdx.x == 0) sum = 0;
      cluster.sync();
      float mine = 0;
      if (blockIdx.x < 4)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * blockDim.x) mine += x[i];
      atomicAdd(cluster.map_shared_rank(&sum, 0), mine);
      cluster.sync();
      if (blockIdx.x == 0 && threadIdx.x == 0) y[0] = 2 * sum;
    }"""
    accepted(gpu, compare(source, TOTAL, total_io(cluster={"x": 4})))


def artifacts(gpu, body):
    job = gpu.run({**body, "artifacts": ["ptx", "sass"]})
    assert job["verdict"] == "accepted", job
    texts = {}
    for artifact in job["result"]["artifacts"]:
        assert "absent" not in artifact, artifact
        answer = gpu.get(f"/v1/jobs/{job['id']}/artifacts/{artifact['name']}")
        assert answer.status == 200 and len(answer.text.encode()) == artifact["bytes"], artifact
        texts[artifact["name"]] = answer.text
    assert sorted(texts) == ["candidate.ptx", "candidate.sass", "reference.ptx", "reference.sass"]
    return texts


def test_ptx_and_machine_code_are_artifacts_on_request(gpu):
    body = compare(kernels.SCALE_STRIDED, kernels.SCALE, kernels.scale_io(N))
    texts = artifacts(gpu, body)
    assert ".visible .entry _Z5scalePKfPffi(" in texts["candidate.ptx"]
    assert "_Z5scalePKfPffi" in texts["candidate.sass"] and "EXIT" in texts["candidate.sass"]
    assert texts["candidate.sass"] != texts["reference.sass"]
    assert artifacts(gpu, body) == texts  # from the cache


def test_ptx_and_machine_code_by_nvcc(gpu):
    texts = artifacts(gpu, compare("#include <vector>\n" + kernels.SCALE_STRIDED, kernels.SCALE,
                                   kernels.scale_io(N), {"backend": "nvcc"}))
    assert ".entry _Z5scalePKfPffi(" in texts["candidate.ptx"] and "EXIT" in texts["candidate.sass"]


def test_nvcc_when_asked(gpu):
    source = "#include <vector>\n" + kernels.SCALE_STRIDED
    result = accepted(gpu, compare(source, kernels.SCALE, kernels.scale_io(N), {"backend": "nvcc"}))
    assert "nvcc" in result["provenance"]["candidate_compiler"], result["provenance"]


def test_nvcc_when_a_header_needs_it(gpu):
    source = "#include <vector>\n" + kernels.SCALE_STRIDED
    result = accepted(gpu, compare(source, kernels.SCALE, kernels.scale_io(N)))
    assert "nvcc" in result["provenance"]["candidate_compiler"], result["provenance"]


def test_compiler_options_and_host_code_beside_the_kernel(gpu):
    source = kernels.SCALE_STRIDED.replace("x[i] * a", "x[i] * a * ONE") + \
        "\nint main() { return 0; }\n"
    accepted(gpu, compare(source, kernels.SCALE, kernels.scale_io(N),
                          {"compiler_options": ["-DONE=1.0f", "--use_fast_math", "-O3"]}))


def test_source_that_does_not_compile(gpu):
    name, text = verdict(gpu, compare("__global__ void scale(float* x) { x = missing; }",
                                      kernels.SCALE, kernels.scale_io(N)))
    assert name == "did_not_compile" and "missing" in text, text


def test_contract_that_does_not_fit(gpu):
    name, text = verdict(gpu, compare("__global__ void scale(const float* x, float* y) {}",
                                      kernels.SCALE, kernels.scale_io(N)))
    assert name == "did_not_compile" and "2 arguments" in text, text


def test_wrong_answer(gpu):
    name, _ = verdict(gpu, compare(kernels.SCALE.replace("a * x[i]", "x[i]"), kernels.SCALE,
                                   kernels.scale_io(N)))
    assert name == "wrong_answer"


def test_in_place_kernel_is_timed_over_restored_data(gpu):
    io = {"args": [tensor("x", [N], "inout", init={"kind": "randn"}), scalar("n", "int", N)],
          "launch": launch((N + 255) // 256)}
    source = """
    __global__ void add(float* x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] += 1.0f;
    }"""
    accepted(gpu, compare(source, source.replace("+= 1.0f", "= x[i] + 1.0f"), io))
