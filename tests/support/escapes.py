"""Attempts to leave the jail, each a file of tests/adversarial/escapes, put together to one kernel."""
import re

from support import kernels, python_kernels
from support.server import ROOT

FILES = sorted((ROOT / "tests" / "adversarial" / "escapes").glob("*.py"))
NAMES = [path.stem for path in FILES]
REFERENCE = f"""
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return 1 * x

def get_inputs():
    return [torch.randn({len(FILES)})]

def get_init_inputs():
    return []
"""
# What an attempt may use. One that fails with an error has not come out.
TOOLS = """
import ctypes, errno, os, resource, socket, stat, struct

libc = ctypes.CDLL(None, use_errno=True)
REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS)

def allowed(number, *arguments):
    "Whether the kernel looked at a system call at all; wrong arguments are given on purpose."
    ctypes.set_errno(0)
    return libc.syscall(number, *arguments) >= 0 or ctypes.get_errno() not in REFUSALS

def readable(path):
    with open(path, "rb") as file:
        return bool(file.read(16))

def comes_out(source):
    scope = dict(globals())
    exec(source, scope)
    try:
        return bool(scope["attempt"]())
    except (OSError, ValueError):  # resource raises the second
        return False
"""


def tools(secret, port):
    return f"{TOOLS}\nSECRET, PORT = {str(secret)!r}, {port}\nATTEMPTS = {[path.read_text() for path in FILES]!r}\n"


def request(secret, port, **options):
    """A comparison that is accepted where every attempt fails: one that comes out spoils its element."""
    candidate = tools(secret, port) + """
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x + torch.tensor([float(comes_out(source)) for source in ATTEMPTS], device=x.device)
"""
    return python_kernels.compare(python_kernels.code(REFERENCE, "torch"),
                                  python_kernels.code(candidate, "torch"), **options)


def verdict(job, names=None):
    """The verdict, and which attempt came out first where one did."""
    first = job["result"].get("details", {}).get("first_mismatch", {})
    came_out = (names or NAMES)[first["index"][0]] if "index" in first else job["result"].get("reason")
    return job["verdict"], came_out


NATIVE = ROOT / "tests" / "adversarial" / "escapes" / "native.cu"
NATIVE_NAMES = re.findall(r'^    {"([^"]+)",', NATIVE.read_text(), re.MULTILINE)
NATIVE_KERNEL = """
__global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + (i < kCount && kAttempts[i].comes_out());
}
"""
NATIVE_PROGRAM = """
int main(int count, char** names) {
  for (const Attempt& one : kAttempts)
    for (int i = 1; i < count; ++i)
      if (!strcmp(one.name, names[i]) && one.comes_out()) puts(one.name);
}
"""


def native_source(secret, port, end):
    """The attempts, with what shall make them at the end."""
    return NATIVE.read_text().replace("SECRET_PATH", str(secret)).replace("SERVER_PORT", str(port)) + end


def native_request(secret, port, **options):
    """As `request`, from a raw kernel."""
    return kernels.compare(native_source(secret, port, NATIVE_KERNEL), **options)
