"""bfloat16 in Triton's interpreter computes as on a GPU: in float32, rounded to the nearest."""

import pytest

# What a kernel makes of `v` and `w`, 128 numbers of type bfloat16, and what torch makes of them.
ELEMENTS = {
    "times itself": ("v * v", "v * v"),
    "times an integer": ("v * 2", "v * 2"),
    "plus a number": ("v + 1.5", "v + 1.5"),
    "times a number that is not exact": ("v * 0.1", "v * torch.tensor(0.1).bfloat16()"),
    "minus": ("v - w", "v - w"),
    "negated": ("-v", "-v"),
    "divided": ("v / w", "v / w"),
    "remainder": ("v % 0.5", "torch.fmod(v, 0.5)"),
    "absolute": ("tl.abs(v)", "v.abs()"),
    "fused": ("tl.fma(v, w, v)", "(v.float() * w.float() + v.float()).bfloat16()"),
    "exponential": ("tl.exp(v.to(tl.float32))", "v.float().exp().bfloat16()"),
    "root": ("tl.sqrt(tl.abs(v).to(tl.float32)).to(tl.bfloat16)", "v.float().abs().sqrt().bfloat16()"),
    "maximum": ("tl.maximum(v, w)", "torch.maximum(v, w)"),
    "clamped": ("tl.clamp(v, -0.25, 0.25)", "v.clamp(-0.25, 0.25)"),
    "where": ("tl.where(v > 0, v, -float('inf'))", "v.masked_fill(v <= 0, -float('inf'))"),
    "where nothing": ("tl.where(v > 0, v, 0.0)", "v.relu()"),
    "compared": ("(v < w).to(tl.bfloat16)", "(v < w).bfloat16()"),
    "equal": ("(v == v).to(tl.float32)", "torch.ones(128).bfloat16()"),
    "a constant": ("tl.full([128], 1.3, tl.bfloat16) + v", "torch.tensor(1.3).bfloat16() + v"),
    "from integers": ("(at * 3).to(tl.bfloat16)", "(torch.arange(128) * 3).bfloat16()"),
    "to integers": ("(v * 100).to(tl.int32)", "(v * 100).int().bfloat16()"),
    "to half and back": ("v.to(tl.float16).to(tl.bfloat16)", "v.half().bfloat16()"),
    "to double and back": ("v.to(tl.float64) / 3", "(v.double() / 3).bfloat16()"),
    "from float32": ("tl.load(x32 + at)", "x32.bfloat16()"),
    "cut off": ("tl.load(x32 + at).to(tl.bfloat16, fp_downcast_rounding='rtz')",
                "(x32.view(torch.int32) & -65536).view(torch.float32).bfloat16()"),
    "bits": ("v.to(tl.int16, bitcast=True).to(tl.bfloat16, bitcast=True)", "v"),
    "summed along": ("tl.cumsum(v, 0)", "v.float().cumsum(0).bfloat16()"),
    "multiplied along": ("tl.cumprod(v + 1, 0)", "(v + 1).float().cumprod(0).bfloat16()"),
    "sorted": ("tl.sort(v)", "v.sort().values"),
    "flipped": ("tl.flip(v, 0)", "v.flip(0)"),
    "with the sum": ("v + tl.sum(v, 0)", "v + v.float().sum().bfloat16()"),
    "with the largest": ("tl.zeros_like(v) + tl.max(v, 0)", "v.max().expand(128)"),
    "with the smallest": ("tl.zeros_like(v) + tl.min(v, 0)", "v.min().expand(128)"),
    "where the largest is": ("tl.zeros_like(v) + tl.argmax(v, 0)", "v.float().argmax().bfloat16().expand(128)"),
    "reduced otherwise": ("tl.zeros_like(v) + tl.reduce(v, 0, larger)", "v.max().expand(128)"),
}  # fmt: skip
SOURCE = """
import torch, triton, triton.language as tl

@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)

@triton.jit
def kernel(x, z, x32, y):
    at = tl.arange(0, 128)
    v = tl.load(x + at)
    w = tl.load(z + at, mask=at >= 0, other=1.0)
    tl.store(y + at, {made})

torch.manual_seed(1)
x32 = torch.randn(128)
v = x32.bfloat16()
w = torch.randn(128).bfloat16()
y = torch.empty(128, dtype=torch.bfloat16, device="cuda")
kernel[(1,)](v, w, x32, y)
expected = {expected}
assert y.float().allclose(expected.float(), rtol=0.008, atol=1e-30), (y, expected)
{exact}
def f(): pass
"""
ROUNDED_ONCE = "assert torch.equal(y, expected), (y - expected).abs().max()"
ROUNDED_TWICE = ("to double and back", "multiplied along", "with the sum", "summed along")


@pytest.mark.parametrize("name", ELEMENTS)
def test_bfloat16_is_computed_as_torch_does(child, name):
    made, expected = ELEMENTS[name]
    exact = "" if name in ROUNDED_TWICE else ROUNDED_ONCE
    child.loaded(SOURCE.format(made=made, expected=expected, exact=exact), "triton")


BLOCKS = """
import torch, triton, triton.language as tl

@triton.jit
def product(a, b, c, B: tl.constexpr):
    at = tl.arange(0, B)
    cells = at[:, None] * B + at[None, :]
    total = tl.zeros((B, B), tl.float32)
    total = tl.dot(tl.load(a + cells), tl.load(b + cells), total)
    tl.store(c + cells, total)

@triton.jit
def rows(a, b, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(b + at, tl.sum(tl.load(a + at[:, None] * B + at[None, :]), axis=1))

@triton.jit
def add_all(a, to, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.atomic_add(to + at % 2, tl.load(a + at), mask=at < 8)

@triton.jit
def padded(a, b, B: tl.constexpr):
    of = tl.make_block_ptr(a, (3,), (1,), (0,), (B,), (0,))
    v = tl.load(of, boundary_check=(0,), padding_option="nan")
    tl.store(b + tl.arange(0, B), v)

torch.manual_seed(1)
a, b = torch.randn(2, 32, 32).bfloat16().cuda()
c = torch.empty(32, 32, device="cuda")
product[(1,)](a, b, c, B=32)
assert c.allclose(a.float() @ b.float(), rtol=1e-5, atol=1e-5)

sums = torch.empty(32, dtype=torch.bfloat16)
rows[(1,)](a, sums, B=32)
assert torch.equal(sums, a.float().sum(1).bfloat16())

ones = torch.ones(32, dtype=torch.bfloat16)
to = torch.tensor([0.5, -1.0, 7.0]).bfloat16()
add_all[(2,)](ones, to, B=32)
assert to.tolist() == [8.5, 7.0, 7.0], to

some = torch.empty(4, dtype=torch.bfloat16)
padded[(1,)](ones, some, B=4)
assert some[:3].tolist() == [1, 1, 1] and some[3].isnan(), some
def f(): pass
"""


def test_products_sums_and_atomics_of_bfloat16_are_right(child):
    child.loaded(BLOCKS, "triton")


def test_bfloat16_is_printed_as_numbers(child):
    child.loaded(
        "import torch, triton, triton.language as tl\n"
        "@triton.jit\n"
        "def kernel(x):\n"
        "  tl.device_print('v', tl.load(x + tl.arange(0, 2)))\n"
        "kernel[(1,)](torch.tensor([1.5, -2]).bfloat16())\n"
        "def f(): pass\n",
        "triton",
    )
    assert "[ 1.5 -2. ]" in child.printed()


def test_not_a_number_and_infinity_stay_what_they_are(child):
    source = SOURCE.format(
        made="tl.load(x32 + at) * 1.0", expected="x32.bfloat16()", exact=ROUNDED_ONCE
    )
    values = "x32 = torch.tensor([float('inf'), -float('inf'), 3.4e38, 1e-40] * 32)"
    child.loaded(source.replace("x32 = torch.randn(128)", values), "triton")
    source = source.replace("x32 = torch.randn(128)", "x32 = torch.full((128,), float('nan'))")
    source = source[: source.index("assert")]
    child.loaded(source + "assert y.isnan().all()\ndef f(): pass\n", "triton")
