"""Small kernels and the contracts that go with them."""
N = 1000

SCALE = """
__global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
"""

SCALE_STRIDED = """
__global__ void scale(const float* x, float* y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i] * a;
}
"""


def tensor(name, shape, role="input", dtype="float32", init=None, data=None):
    spec = {"shape": shape, "dtype": dtype}
    if init is not None:
        spec["init"] = init
    if data is not None:
        spec["data"] = data
    return {"name": name, "type": "tensor", "role": role, "tensor_spec": spec}


def scalar(name, kind, value):
    return {"name": name, "type": kind, "value": value}


def launch(grid=4, block=256, shared=0):
    config = {"grid": {"x": grid}, "block": {"x": block}}
    if shared:
        config["shared_mem_bytes"] = shared
    return config


def scale_io(n=N):
    return {"args": [tensor("x", [n], init={"kind": "randn"}), tensor("y", [n], "output"),
                     scalar("a", "float", 2.5), scalar("n", "int", n)],
            "launch": launch((n + 255) // 256)}


def kernel(source, io, **metadata):
    code = {"source_code": source, "kernel_type": "cuda", "io": io}
    if metadata:
        code["metadata"] = metadata
    return code


def compare(candidate=SCALE_STRIDED, reference=SCALE, io=None, **options):
    io = io or scale_io()
    return {"ref_kernel": kernel(reference, io), "custom_kernel": kernel(candidate, io), **options}


def evaluate(source=SCALE, io=None, **options):
    return {"kernel": kernel(source, io or scale_io()), **options}
