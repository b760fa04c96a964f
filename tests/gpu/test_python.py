"""Python kernels on a GPU: the same runner as on the cpu device."""
import json
import random
import subprocess
import unittest

from support.gpu_kernels import AS_A_WHOLE, FOR_NVCC, REFERENCE, TORCH, TORCH_CUDA, TRITON
from support.server import BINARY


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


def need_own_tmp():
    """Where runners share one, nothing that was compiled is kept."""
    run = subprocess.run([BINARY, "doctor", "--json"], capture_output=True)
    checks = {check["check"]: check for check in json.loads(run.stdout)["checks"]}
    if not checks["jail: mount_namespace"]["ok"]:
        raise unittest.SkipTest("needs runners with a /tmp of their own: "
                                + checks["jail: mount_namespace"]["detail"])


def triton_hits(job):
    expect_accepted(job)
    provenance = job["result"]["provenance"]
    return [provenance.get(f"{who}_triton_cache_hit") for who in ("candidate", "reference")]


def test_what_triton_compiled_is_given_to_the_same_source_alone(gpu):
    need_own_tmp()
    mine, other = (f"{TRITON}\n# {random.random()}\n" for _ in range(2))
    assert triton_hits(compare(gpu, mine, "triton")) == [False, False]
    assert triton_hits(compare(gpu, other, "triton")) == [False, False]
    assert triton_hits(compare(gpu, mine, "triton")) == [True, False]
    # Inputs that repeat could be recognised by what was kept: nothing is given, and nothing kept.
    assert triton_hits(compare(gpu, mine, "triton", seed=7)) == [None, None]


def test_nothing_is_kept_of_a_triton_kernel_that_was_not_accepted(gpu):
    need_own_tmp()
    wrong = f"{TRITON}\n# {random.random()}\n".replace("0.0)", "0.5)")
    for _ in range(2):
        job = compare(gpu, wrong, "triton")
        assert job["verdict"] == "wrong_answer", job
        assert job["result"]["provenance"]["candidate_triton_cache_hit"] is False


def test_embedded_cuda_is_built_in_two_parts_and_judged(gpu):
    expect_accepted(compare(gpu, TORCH_CUDA.replace("NUMBER", "1"), "torch_cuda"))
    expect_accepted(compare(gpu, TORCH_CUDA.replace("NUMBER", "2"), "torch_cuda"))
    expect_accepted(compare(gpu, TORCH_CUDA.replace("NUMBER", "2"), "torch_cuda"))


def test_embedded_cuda_that_only_nvcc_compiles_is_judged(gpu):
    source = TORCH_CUDA.replace("NUMBER", "whole").replace("#include <torch/extension.h>", FOR_NVCC)
    job = compare(gpu, source, "torch_cuda")
    expect_accepted(job)
    assert AS_A_WHOLE in job["result"]["provenance"]["candidate_build_log"], job["result"]["provenance"]


def test_mistakes_in_embedded_cuda_are_told_in_the_words_of_nvcc(gpu):
    for right, mistake, told in ((": scalar_t(0);", ": no_such_name;", 'identifier "no_such_name" is undefined'),
                                 ("torch::empty_like", "torch::empty_liek", 'has no member "empty_liek"')):
        job = compare(gpu, TORCH_CUDA.replace("NUMBER", "wrong").replace(right, mistake), "torch_cuda")
        assert job["verdict"] == "did_not_compile", job
        assert told in job["result"]["reason"], job["result"]["reason"]


def test_extensions_asked_for_only_while_the_kernel_runs_are_built(gpu):
    at_load = TORCH_CUDA.replace("NUMBER", "late")
    assert at_load.count("\nextension = load_inline(") == 1
    for kind in ("torch_cuda", "triton"):
        late = at_load.replace("\nextension = load_inline(", "\nbuild = lambda: load_inline(")
        job = compare(gpu, late.replace("extension.forward", "build().forward"), kind)
        expect_accepted(job)
        assert [phase["state"] for phase in job["phases"]].count("building") == 2, job["phases"]


def test_wrong_candidates_of_each_kind_are_told(gpu):
    wrong = {"torch": TORCH.replace("min=0", "min=0.5"),
             "triton": TRITON.replace("0.0)", "0.5)"),
             "torch_cuda": TORCH_CUDA.replace("NUMBER", "3").replace(": scalar_t(0);", ": scalar_t(1);")}
    for kind, source in wrong.items():
        job = compare(gpu, source, kind)
        assert job["state"] == "done", job
        assert job["verdict"] == "wrong_answer", (kind, job["verdict"], job["result"].get("reason"))
