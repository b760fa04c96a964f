"""8 bit floats in Triton's interpreter are rounded as on a GPU."""

import pytest

TYPES = {"float8e4nv": "float8_e4m3fn", "float8e5": "float8_e5m2"}
SOURCE = """
import torch, triton, triton.language as tl

@triton.jit
def kernel(x, y):
    at = tl.arange(0, 512)
    v = tl.load(x + at){before}
    tl.store(y + at, v.to(tl.{small}).to(tl.{large}))

torch.manual_seed(1)
x = torch.randn(512) * torch.logspace(-6, 2, 512)
x[:3] = torch.tensor([0.0, 1e30, -1e30])
y = torch.empty(512, dtype=torch.{stored}, device="cuda")
kernel[(1,)](x, y)
to = torch.{torch_small}
largest = torch.finfo(to).max
expected = x.to(torch.{stored}).clamp(-largest, largest).to(to).to(torch.{stored})
assert torch.equal(y, expected), (y - expected).abs().max()
def f(): pass
"""


@pytest.mark.parametrize("large", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("small", TYPES)
def test_an_8_bit_float_is_rounded_to_the_nearest(child, small, large):
    before = "" if large == "float32" else f".to(tl.{large})"
    child.loaded(
        SOURCE.format(
            small=small, torch_small=TYPES[small], large=large, stored=large, before=before
        ),
        "triton",
    )
