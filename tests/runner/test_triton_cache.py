"""What Triton compiled goes from one runner of a source to the next."""

import os
import subprocess
import zipfile

import pytest
from support import runner

from assay_runner.triton_cache import TritonCache

LIMIT = 1 << 20
FILES = {"KEY/add.cubin": b"\x7fELF" + bytes(3000), "KEY/__grp__add.json": b"{}", "SO/launch.so": b"x"}


def write(directory, files):
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read(directory):
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def sized(size):
    """Memory as the worker passes it."""
    memory = os.memfd_create("packed")
    os.ftruncate(memory, size)
    return memory


def packed(cache):
    memory = sized(LIMIT)
    return os.pread(memory, cache.pack(memory), 0)


def container(content):
    memory = os.memfd_create("container")
    os.write(memory, content)
    return memory


def test_what_is_packed_is_unpacked_the_same(tmp_path):
    write(tmp_path / "first", FILES)
    content = packed(TritonCache(tmp_path / "first"))
    TritonCache(tmp_path / "second").unpack(container(content))
    assert read(tmp_path / "second") == FILES


def test_memory_larger_than_its_content_is_unpacked(tmp_path):
    write(tmp_path / "first", {"K/a": b"a"})
    content = packed(TritonCache(tmp_path / "first"))
    TritonCache(tmp_path / "second").unpack(container(content.ljust(256, b"\0")))
    assert read(tmp_path / "second") == {"K/a": b"a"}


def test_nothing_is_packed_where_nothing_was_added(tmp_path):
    assert packed(TritonCache(tmp_path / "absent")) == b""
    write(tmp_path / "first", FILES)
    content = packed(TritonCache(tmp_path / "first"))
    second = TritonCache(tmp_path / "second")
    second.unpack(container(content))
    assert packed(second) == b""
    write(tmp_path / "second", {"OTHER/add.cubin": b"for another shape"})
    third = TritonCache(tmp_path / "third")
    third.unpack(container(packed(second)))
    assert read(tmp_path / "third") == {**FILES, "OTHER/add.cubin": b"for another shape"}


def test_more_than_fits_is_not_packed(tmp_path):
    write(tmp_path, {"KEY/large": os.urandom(LIMIT + 1)})
    assert packed(TritonCache(tmp_path)) == b""


def test_links_are_not_followed(tmp_path):
    write(tmp_path / "cache", {"KEY/a": b"a"})
    (tmp_path / "cache/KEY/link").symlink_to("/etc/passwd")
    (tmp_path / "cache/directory").symlink_to("/etc")
    second = TritonCache(tmp_path / "second")
    second.unpack(container(packed(TritonCache(tmp_path / "cache"))))
    assert read(tmp_path / "second") == {"KEY/a": b"a"}


def test_a_container_that_cannot_be_read_is_as_good_as_none(tmp_path):
    write(tmp_path / "first", {"KEY/add.cubin": os.urandom(3000)})
    content = packed(TritonCache(tmp_path / "first"))
    changed = content[:1500] + bytes(100) + content[1600:]
    for damaged in (b"", b"not a container", content[:2000], changed):
        TritonCache(tmp_path / "cache").unpack(container(damaged))
        assert read(tmp_path / "cache") == {}


def test_names_that_lead_out_stay_inside(tmp_path):
    with zipfile.ZipFile(tmp_path / "hostile.zip", "w") as archive:
        archive.writestr("../../outside", b"x")
    content = (tmp_path / "hostile.zip").read_bytes()
    TritonCache(tmp_path / "deep/er/cache").unpack(container(content))
    assert read(tmp_path / "deep") == {"er/cache/outside": b"x"}


COMPILING = """
import os, pathlib
directory = pathlib.Path("/tmp/.triton/cache/KEY")
found = directory.exists()
directory.mkdir(parents=True, exist_ok=True)
(directory / "add.cubin").write_bytes(b"machine code")
def forward(): return found
"""


def load(child, *descriptors):
    python = {"type": "triton", "source": COMPILING, "seed": 1, "device": "cpu",
              "metadata": {"function_name": "forward"},
              "descriptors": ["compiled"] * len(descriptors)}  # fmt: skip
    reply = child.call({"op": "load", "python": python}, descriptors)
    assert reply["reply"] == "loaded", reply
    return child.call({"op": "run"})["value"]["v"]


def pack(child):
    memory = sized(LIMIT)
    reply = child.call({"op": "pack"}, [memory])
    assert reply["reply"] == "packed", reply
    return os.pread(memory, reply["bytes"], 0)


def test_a_runner_is_given_it_before_the_source_runs(fork):
    first = fork()
    assert load(first) is False
    content = pack(first)
    second = fork()
    assert load(second, container(content)) is True
    assert pack(second) == b""


COMPILE = """
import os, pathlib, sys
sys.path.insert(0, {package!r})
import triton
import triton.language as tl
from assay_runner.triton_cache import TritonCache, default_directory
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def double(a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(a + at, tl.load(a + at, mask=at < n) * 2, mask=at < n)

assert default_directory() == pathlib.Path(triton.knobs.cache.dir)
packed = pathlib.Path(sys.argv[1])
cache = TritonCache(default_directory())
if packed.stat().st_size:
    cache.unpack(os.open(packed, os.O_RDONLY))
hits = []
triton.knobs.compilation.listener = lambda cache_hit, **others: hits.append(cache_hit)
signature = {{"a": "*fp32", "n": "i32", "BLOCK": "constexpr"}}
source = ASTSource(fn=double, signature=signature, constexprs={{(2,): 64}})
triton.compile(source, target=GPUTarget("cuda", 90, 32))
with packed.open("r+b") as file:
    file.truncate(1 << 24)
    size = cache.pack(file.fileno())
    file.truncate(size)
print(hits[0], size > 0)
"""


def test_triton_finds_what_another_process_compiled(tmp_path):
    python, why = runner.find_python()
    if python is None:
        pytest.skip(f"needs a Python with torch and triton: {why}")
    script = tmp_path / "kernel.py"
    script.write_text(COMPILE.format(package=str(runner.ROOT / "python")))
    packed_file = tmp_path / "packed"
    packed_file.touch()
    home = tmp_path / "home"

    def compile_once():
        home.mkdir()
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        done = subprocess.run([python, "-I", script, packed_file], env=environment, text=True,
                              capture_output=True)  # fmt: skip
        assert done.returncode == 0, done.stderr
        home.rename(tmp_path / f"used-{len(list(tmp_path.iterdir()))}")
        return done.stdout.split()

    assert compile_once() == ["False", "True"]
    assert compile_once() == ["True", "False"]
