"""Kernels that break: each gets the right verdict, and the GPU serves the next one at once."""
import statistics
import time

from support import kernels

N = 100_000
HEAD = """
__global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
"""
BODY = "  if (i < n) y[i] = a * x[i];\n}\n"

# What is done to the device, the verdict, and what the reason says.
BREAKAGES = {
    "illegal_address": (HEAD + "  if (i == 7) *(volatile float*)(size_t)(i * 4) = 1.0f;\n" + BODY,
                        "crashed", "ILLEGAL_ADDRESS"),
    "misaligned_access": (HEAD + "  if (i == 0) *(double*)((char*)y + 1) = 1.0;\n" + BODY,
                          "crashed", "MISALIGNED_ADDRESS"),
    "device_assert": ("#include <cassert>\n" + HEAD + "  assert(i != 100);\n" + BODY,
                      "crashed", "ASSERT"),
    "trap": (HEAD + "  if (i == 100) __trap();\n" + BODY, "crashed", "LAUNCH_FAILED"),
    "illegal_instruction": (HEAD + '  if (i == 100) asm volatile("brkpt;");\n' + BODY, "crashed",
                            "CUDA_ERROR"),
    "stack_without_end": ("__device__ __noinline__ float deep(const float* x, volatile int n) {\n"
                          "  float t[64]; for (int k = 0; k < 64; ++k) t[k] = x[k] + n;\n"
                          "  return n < 0 ? t[0] : deep(x, n + 1) + t[n & 63]; }\n" + HEAD +
                          "  if (i == 0) y[0] = deep(x, 1);\n" + BODY, "crashed", "CUDA_ERROR"),
    "out_of_memory": ("".join(f"__device__ char huge{k}[4294967040ull];\n" for k in range(48)) +
                      HEAD + "".join(f"  if (n < 0) y[0] += huge{k}[i - n];\n" for k in range(48)) +
                      BODY, "out_of_memory", "OUT_OF_MEMORY"),
    "overwritten_neighbour": (HEAD + "  if (i < 64) y[n + i] = 1.0f;\n" + BODY, "crashed",
                              "outside its buffers"),
    "changed_input": (HEAD + "  if (i == 5) ((float*)x)[i] = 1.0f;\n" + BODY, "tampered", "input"),
    "too_many_threads": ("__global__ void __launch_bounds__(128) scale(const float* x, float* y, "
                         "float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + BODY,
                         "crashed", "launch"),
}
ENDLESS = HEAD + "  while (*(volatile const float*)x != 12345.0f) { }\n" + BODY


def body(source, **options):
    return kernels.compare(source, io=kernels.scale_io(N), num_trials=20, **options)


def good(gpu):
    job = gpu.run(kernels.compare(io=kernels.scale_io(N), num_trials=50))
    assert job["verdict"] == "accepted", job
    return job["result"]["candidate_timing"]["statistics_ns"]["median"]


def broken(gpu, name):
    source, expected, text = BREAKAGES[name]
    job = gpu.run(body(source))
    assert job["state"] == "done" and job["verdict"] == expected, (name, job)
    assert text in job["result"]["reason"], (name, job["result"]["reason"])


def make(name):
    def test(gpu):
        broken(gpu, name)
        good(gpu)
    test.__doc__ = f"{name} is told as such, and the next kernel is accepted."
    return test


for _name in BREAKAGES:
    globals()[f"test_{_name}"] = make(_name)


def test_endless_kernel_is_stopped_in_time(gpu):
    started = time.monotonic()
    job = gpu.run(body(ENDLESS, timeout=5))
    took = time.monotonic() - started
    assert job["verdict"] == "timed_out", job
    assert took < 9, took
    good(gpu)


def test_two_hundred_jobs_good_and_bad_in_turn(gpu):
    names = list(BREAKAGES)
    times = []
    for turn in range(100):
        broken(gpu, names[turn % len(names)])
        times.append(good(gpu))
    first, last = statistics.median(times[:20]), statistics.median(times[-20:])
    print(f"good kernel: {first / 1000:.2f} us over the first 20, {last / 1000:.2f} us over the last")
    assert abs(last - first) <= 0.1 * first, (first, last)
