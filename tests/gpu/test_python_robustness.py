"""Python kernels that leave the GPU in disorder: memory they keep, a context that they poison."""
import textwrap
import time

from support.gpu_kernels import REFERENCE, TORCH, TORCH_CUDA, TRITON
from test_robustness import good

HELD = 0.6  # of the GPU's memory: the next one fits only when it has been given back

LEAKING_TORCH = textwrap.dedent(f"""
    import torch
    import torch.nn as nn

    kept = []

    class ModelNew(nn.Module):
        def forward(self, a, b):
            if not kept:
                total = torch.cuda.mem_get_info()[1]
                for _ in range(int({HELD} * total) >> 28):
                    kept.append(torch.empty(1 << 28, dtype=torch.uint8, device="cuda"))
            return torch.relu(a + b)
""")

LEAKING_TORCH_CUDA = TORCH_CUDA.replace("NUMBER", "leaking").replace(
    "auto out = torch::empty_like(a);", f"""
      static bool leaked = false;
      size_t free = 0, total = 0;
      TORCH_CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess, "no figures");
      for (size_t held = 0; !leaked && held < size_t({HELD} * double(total)); held += size_t(1) << 28) {{
        void* kept = nullptr;
        TORCH_CHECK(cudaMalloc(&kept, size_t(1) << 28) == cudaSuccess, "the memory is not free");
      }}
      leaked = true;
      auto out = torch::empty_like(a);""")

# Writes 4 TiB behind the end of a tensor.
TRESPASS = textwrap.dedent("""
    import torch
    import torch.nn as nn
    import triton
    import triton.language as tl

    @triton.jit
    def trespass(tensor, far):
        tl.store(tensor + far, 1.0)

    calls = 0

    class ModelNew(nn.Module):
        def forward(self, a, b):
            global calls
            calls += 1
            answer = torch.relu(a + b)
            kept = answer.cpu()
            BREAK
            return ANSWER
""")
BREAK = "trespass[(1,)](a, 1 << 40)"
ILLEGAL = "illegal memory access"


def trespassing(statements, answer="answer"):
    indented = textwrap.indent(textwrap.dedent(statements).strip(), " " * 8).strip()
    return TRESPASS.replace("BREAK", indented).replace("ANSWER", answer)


def judge(gpu, source, kind, reference=REFERENCE, reference_kind="torch"):
    job = gpu.run({"reference": {"source_code": reference, "kernel_type": reference_kind},
                   "candidate": {"source_code": source, "kernel_type": kind},
                   "num_trials": 20, "timeout": 300}, limit=320)
    assert job["state"] == "done", job
    return job["verdict"], job["result"]["reason"]


def expect(told, verdict, text=""):
    assert told[0] == verdict and text in told[1], told


def expect_usable(gpu):
    """The next evaluations, in Python and without, find the GPU as if nothing had been."""
    good(gpu)
    expect(judge(gpu, TORCH, "torch"), "accepted")


def device(gpu):
    return gpu.get("/v1/devices").json["devices"][0]


def expect_memory_back(gpu, before):
    """Runners that wait for their turn hold some too."""
    allowed = before + 0.15 * device(gpu)["memory_bytes"]
    deadline = time.monotonic() + 20
    while (used := device(gpu)["health"]["memory_used_bytes"]) > allowed:
        assert time.monotonic() < deadline, (used, before)
        time.sleep(0.1)


def leak_three_times(gpu, source, kind):
    before = device(gpu)["health"]["memory_used_bytes"]
    for _ in range(3):
        expect(judge(gpu, source, kind), "accepted")
    expect_memory_back(gpu, before)
    expect_usable(gpu)


def test_memory_that_torch_kernels_keep_is_free_for_the_next(gpu):
    leak_three_times(gpu, LEAKING_TORCH, "torch")


def test_memory_from_the_runtime_that_is_never_freed_is_free_for_the_next(gpu):
    leak_three_times(gpu, LEAKING_TORCH_CUDA, "torch_cuda")


def test_more_memory_than_there_is(gpu):
    greedy = LEAKING_TORCH.replace(f"int({HELD} * total)", "(2 * total)")
    expect(judge(gpu, greedy, "torch"), "out_of_memory", "out of memory")
    expect_usable(gpu)


SHORTENING = """
import os
import torch

class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        for descriptor in range(3, 64):
            try:
                os.ftruncate(descriptor, 0)
            except OSError:
                pass
        return torch.relu(a + b)
"""


def test_nobody_can_shorten_what_the_worker_shares(gpu):
    expect(judge(gpu, SHORTENING, "torch"), "accepted")
    expect_usable(gpu)


def test_right_answer_beside_an_asynchronous_fault_is_a_crash(gpu):
    expect(judge(gpu, trespassing(BREAK), "triton"), "crashed", ILLEGAL)
    expect_usable(gpu)


def test_fault_that_the_kernel_catches_and_hides_is_a_crash(gpu):
    hidden = trespassing(f"""
        {BREAK}
        try:
            torch.cuda.synchronize()
        except Exception:
            pass
        """, answer="kept")
    expect(judge(gpu, hidden, "triton"), "crashed", ILLEGAL)
    expect_usable(gpu)


def test_device_assertion_of_torch_itself_is_a_crash(gpu):
    wild = TRESPASS.replace("BREAK", 'a.flatten()[torch.full((1,), 1 << 40, device="cuda")]').replace(
        "ANSWER", "answer")
    expect(judge(gpu, wild, "torch"), "crashed", "device-side assert")
    expect_usable(gpu)


def test_fault_in_timed_runs_alone_is_a_crash(gpu):
    late = trespassing(f"""
        if calls > 8:
            {BREAK}
        """)
    expect(judge(gpu, late, "triton"), "crashed", ILLEGAL)
    expect_usable(gpu)


def test_kernel_that_stops_us_from_waiting_for_its_fault_is_not_accepted(gpu):
    blind = trespassing(f"""
        torch.cuda.synchronize = lambda *ignored: None
        {BREAK}
        """)
    # Collecting the answer fails, or nothing comes out of it, whichever the GPU does first.
    verdict, reason = judge(gpu, blind, "triton")
    assert verdict in ("crashed", "wrong_answer", "tampered"), (verdict, reason)
    expect_usable(gpu)


def test_poisoned_reference_is_not_held_against_the_candidate(gpu):
    reference = trespassing(BREAK).replace("class ModelNew(", "class Model(") + \
        REFERENCE[REFERENCE.index("def get_inputs"):]
    expect(judge(gpu, TRITON, "triton", reference, "triton"), "reference_failed", ILLEGAL)
    expect_usable(gpu)
