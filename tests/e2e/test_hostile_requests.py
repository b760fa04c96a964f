"""Bodies that are small or valid and would cost the server its stack, its memory or its time: each is refused at once."""
import base64
import time
import zlib

import pytest

from support import kernels

DEEP = "[" * 2_000_000 + "]" * 2_000_000
SOURCE = '"source_code":"__global__ void f(float* x) {}","kernel_type":"cuda"'


def kernel_with(shape, data=""):
    spec = f'"shape":{shape}' if not data else data
    return f'{{"kernel":{{{SOURCE},"io":{{"args":[{{"name":"x","type":"tensor","tensor_spec":{{{spec}}}}}]}}}}}}'


BOMB = base64.b64encode(zlib.compress(bytes(16 << 20))).decode()
BODIES = {
    "deep": '{"kernel":{%s},"x":%s}' % (SOURCE, DEEP),
    "deep_constructor": '{"kernel":{"source_code":"s","kernel_type":"torch","metadata":{"init_args":%s}}}' % DEEP,
    "long_list": kernel_with("[" + "1," * 5_000_000 + "1]"),
    "many_mistakes": '{"kernel":{%s},%s"y":1}' % (SOURCE, "".join(f'"k{i}":1,' for i in range(1_000_000))),
    "long_name": '{"kernel":{%s},"%s":1}' % (SOURCE, "x" * (16 << 20)),
    "size_of_nothing": kernel_with("[16777216,1099511627776]"),
    "unpacked": kernel_with("", f'"data":{{"data_b64":"{BOMB}","compress":"zlib","dtype":"int8","shape":[8000000000]}}'),
}


def peak(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) >> 10
    raise AssertionError("no such process")


@pytest.fixture(scope="module")
def quiet(tmp_path_factory, cache_dir):
    from support.server import Server
    running = Server(tmp_path_factory.mktemp("hostile_requests") / "data", cache_dir, "--no-prepare", keeps_builds=True).start()
    yield running
    running.stop()


@pytest.mark.parametrize("name", BODIES)
def test_costly_body_is_refused_at_once(quiet, name):
    before = peak(quiet.process.pid)
    for path in ("/v1/jobs", "/evaluate"):
        began = time.monotonic()
        answer = quiet.request("POST", path, BODIES[name])
        took = time.monotonic() - began
        if path == "/evaluate" and name in ("many_mistakes", "long_name"):
            continue  # unknown fields are allowed there
        assert answer.status in (400, 422), answer.text[:300]
        assert len(answer.text) < 100 << 20
        assert took < 20, f"{took:.1f} s"
    assert quiet.get("/health").status == 200
    assert peak(quiet.process.pid) < before + 1500, "MiB"


def test_server_lives(quiet):
    assert quiet.run(kernels.evaluate(num_trials=1))["verdict"] == "accepted"
