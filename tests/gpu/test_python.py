"""Python kernels on a GPU: the same runner as on the cpu device."""
from support.gpu_kernels import REFERENCE, TORCH, TORCH_CUDA, TRITON


def compare(gpu, source, kind, **options):
    return gpu.run({"reference": {"source_code": REFERENCE, "kernel_type": "torch"},
                    "candidate": {"source_code": source, "kernel_type": kind},
                    "timeout": 300, **options}, limit=300)


def expect_accepted(job):
    assert job["state"] == "done", job
    phases = {phase["state"]: phase.get("duration_ms") for phase in job["phases"]}
    assert job["verdict"] == "accepted", (job["verdict"], job["result"].get("reason"), phases)
    result = job["result"]
    print(phases, "median us", result["candidate_timing"]["statistics_ns"]["median"] / 1e3,
          "reference", result["reference_timing"]["statistics_ns"]["median"] / 1e3,
          result["candidate_timing"]["method"])


def test_torch_model_is_judged(gpu):
    expect_accepted(compare(gpu, TORCH, "torch"))


def test_triton_model_is_compiled_and_judged(gpu):
    expect_accepted(compare(gpu, TRITON, "triton"))
    expect_accepted(compare(gpu, TRITON, "triton"))


def test_embedded_cuda_is_built_in_two_parts_and_judged(gpu):
    expect_accepted(compare(gpu, TORCH_CUDA.replace("NUMBER", "1"), "torch_cuda"))
    expect_accepted(compare(gpu, TORCH_CUDA.replace("NUMBER", "2"), "torch_cuda"))
    expect_accepted(compare(gpu, TORCH_CUDA.replace("NUMBER", "2"), "torch_cuda"))


def test_wrong_candidates_of_each_kind_are_told(gpu):
    wrong = {"torch": TORCH.replace("min=0", "min=0.5"),
             "triton": TRITON.replace("0.0)", "0.5)"),
             "torch_cuda": TORCH_CUDA.replace("NUMBER", "3").replace(": scalar_t(0);", ": scalar_t(1);")}
    for kind, source in wrong.items():
        job = compare(gpu, source, kind)
        assert job["state"] == "done", job
        assert job["verdict"] == "wrong_answer", (kind, job["verdict"], job["result"].get("reason"))
