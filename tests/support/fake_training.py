"""A training program on a GPU that exists in memory alone, for pages and tests that profile one: `python train.py`
launches kernels of a small model, with NVTX ranges, and an `ncu` counts one of them. Nothing of it needs a GPU; what
records it is the real thing.
"""
import os
import pathlib
import subprocess
import sys

from support import fake_ncu, stand_in
from support.server import ROOT

LAYERS = 4
# Kernels of a layer: name, and microseconds for a batch of 8.
FORWARD = [("layer_norm_naive", 90), ("gemm_bf16_qkv", 40), ("flash_attention_fwd", 30), ("gemm_bf16_mlp", 60), ("gelu", 8)]
BACKWARD = [("gemm_bf16_mlp_bwd", 110), ("flash_attention_bwd", 70), ("gemm_bf16_qkv_bwd", 80), ("layer_norm_bwd", 30)]


def script(words):
    """What the program does, for `train.py --batch N --steps N [--fused-norm] [--warm-up N]`."""
    def value(name, otherwise):
        return int(words[words.index(name) + 1]) if name in words else otherwise

    batch = value("--batch", 8)
    if batch > 64:
        return "out_of_memory\n"  # the program does not know that word, and fails
    norm = ("layer_norm_fused", 12) if "--fused-norm" in words else FORWARD[0]
    scaled = lambda kernels: [f"launch {name} 64 {max(1, time * batch // 8)}" for name, time in kernels]  # noqa: E731
    lines = []
    for step in range(value("--steps", 10)):
        lines += ["push step", "copy 1048576", "push forward"]
        for layer in range(LAYERS):
            lines += [f"push layer{layer}", *scaled([norm, *FORWARD[1:]]), "pop"]
        lines += ["pop", "push backward", *scaled(BACKWARD) * LAYERS, "pop", "push optimizer", *scaled([("adam", 50)]),
                  "pop", "pop", f"sleep {1 + 4 * batch // 8}"]
    return "\n".join(lines) + "\n"


def build(folder):
    """Makes the programs in a folder and gives the environment in which they are found."""
    folder = pathlib.Path(folder)
    programs, libraries = folder / "programs", folder / "libraries"
    for made in (programs, libraries):
        made.mkdir(parents=True)
    testkit = ROOT / "tracer" / "testkit"
    common = ["g++", "-std=c++23", "-O1", f"-I{ROOT}", f"-I{ROOT / 'src'}"]
    for words in ([*common, "-shared", "-fPIC", testkit / "fake_gpu.cpp", "-o", libraries / "libcuda.so.1", "-ldl"],
                  [*common, testkit / "traced_program.cpp", "-o", folder / "traced_program", "-ldl"]):
        built = subprocess.run(words, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
    (libraries / "libcupti.so.13").symlink_to("libcuda.so.1")
    python = programs / "python"
    python.write_text(f"#!/usr/bin/python3\nimport sys\nsys.path.insert(0, {str(ROOT / 'tests')!r})\n"
                      f"from support import fake_training\nfake_training.main({str(folder)!r}, sys.argv[1:])\n")
    python.chmod(0o755)
    stand_in.write(fake_ncu, programs / "ncu", "right")
    return os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(libraries),
                         "FAKE_SCRIPTED_TIME": "1",
                         "XDG_DATA_HOME": str(folder / "data")}


def main(folder, words):
    path = pathlib.Path(folder) / f"script-{os.getpid()}"
    path.write_text(script(words))
    os.execv(pathlib.Path(folder) / "traced_program", [str(words[0]), str(path)])


if __name__ == "__main__":
    sys.exit("support/fake_training.py is used by tests")
