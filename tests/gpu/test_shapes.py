"""The shapes that kernel benchmarks are made of, on a GPU: every type, right and wrong."""
import ast

from support import python_kernels
from support.gpu_kernels import AS_A_WHOLE, FOR_NVCC

LIMIT = 500  # seconds; the first extension waits for torch's headers to be compiled
# Convolutions of torch round to 10 bits on a GPU.
TOLERANCES = {"atol": 1e-2, "rtol": 1e-2}


def test_candidate_of_every_shape_and_type_gets_its_verdict(gpu):
    jobs = {path: gpu.submit(python_kernels.body_of(path, timeout=LIMIT, **TOLERANCES))
            for path in python_kernels.CANDIDATES}
    wrong = []
    for path, id in jobs.items():
        job = gpu.wait(id, LIMIT)
        if job.get("verdict") != python_kernels.verdict_of(path.read_text()):
            wrong.append((f"{path.parent.name}/{path.name}", job.get("verdict"),
                          (job.get("result") or {}).get("reason")))
    assert len(jobs) >= 54 and not wrong, wrong


def without_model(source):
    """What else a reference's file has: how its inputs are made."""
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if getattr(node, "name", None) != "Model"]
    return ast.unparse(tree)


def test_extension_in_two_parts_gives_what_nvcc_makes_of_the_whole(gpu):
    jobs = {}
    for path in sorted(python_kernels.FOLDER.glob("*/torch_cuda_right.py")):
        split = path.read_text()
        # With all of torch's headers, as load_inline would.
        whole = split.replace("#include <torch/extension.h>",
                              f"{FOR_NVCC}\nstatic_assert(sizeof(torch::nn::Module) > 0);")
        assert whole != split, path
        inputs = without_model((path.parent / "reference.py").read_text())
        jobs[path.parent.name] = gpu.submit(python_kernels.compare(
            python_kernels.code(f"{inputs}\n{whole}", "torch_cuda"),
            python_kernels.code(split, "torch_cuda"), atol=0, rtol=0, timeout=LIMIT))
    fates = {name: gpu.wait(id, LIMIT) for name, id in jobs.items()}
    wrong = {name: (job.get("verdict"), (job.get("result") or {}).get("reason"))
             for name, job in fates.items() if job.get("verdict") != "accepted"}
    assert len(fates) == 9 and not wrong, wrong
    roads = {name: [AS_A_WHOLE in job["result"]["provenance"].get(f"{who}_build_log", "")
                    for who in ("reference", "candidate")] for name, job in fates.items()}
    assert set(map(tuple, roads.values())) == {(True, False)}, roads
