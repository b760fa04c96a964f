"""CUDA's libdevice in Triton's interpreter, and what the interpreter cannot do."""

import pytest

IMPORTS = {
    "of cuda": "from triton.language.extra.cuda import libdevice",
    "of any device": "from triton.language.extra import libdevice",
    "through the language": "libdevice = tl.extra.cuda.libdevice",
    "as modules": "import triton.language.extra.libdevice as libdevice",
}
SOURCE = """
import math, torch, triton, triton.language as tl
{imported}

@triton.jit
def kernel(x, z, y):
    at = tl.arange(0, 64)
    v = tl.load(x + at)
    w = tl.load(z + at)
    k = at * 1000003
    tl.store(y + at, {made})

torch.manual_seed(1)
v, w = torch.randn(2, 64, dtype=torch.{dtype}) * 3
k = torch.arange(64) * 1000003
y = torch.empty(64, dtype=torch.{stored}, device="cuda")
kernel[(1,)](v, w, y)
expected = {expected}
assert y.allclose(expected.to(y.dtype), rtol=1e-6, equal_nan=True), (y, expected)
def f(): pass
"""


def load(child, made, expected, imported=IMPORTS["of cuda"], dtype="float32", stored="float32"):
    source = SOURCE.format(
        imported=imported, made=made, expected=expected, dtype=dtype, stored=stored
    )
    child.loaded(source, "triton")


@pytest.mark.parametrize("imported", IMPORTS.values(), ids=IMPORTS.keys())
def test_libdevice_is_there_however_it_is_imported(child, imported):
    load(child, "libdevice.tanh(v)", "v.tanh()", imported)


SAME_IN_TORCH = """
acos acosh asin asinh atan atanh ceil cos cosh erf erfc erfinv exp exp2 expm1 floor lgamma log log10
log1p log2 rsqrt sin sinh sqrt tan tanh trunc
""".split()


def test_functions_of_one_number_are_right(child):
    wanted = ", ".join(f"torch.{name}(v)[{i}]" for i, name in enumerate(SAME_IN_TORCH))
    rest = 64 - len(SAME_IN_TORCH)
    nested = "0.0"
    for i, name in enumerate(SAME_IN_TORCH):
        nested = f"tl.where(at == {i}, libdevice.{name}(v), {nested})"
    load(child, nested, f"torch.stack([{wanted}] + [torch.zeros(())] * {rest})")


OTHERS = {
    "pow": ("libdevice.pow(v, 2.0)", "v * v"),
    "pow with an integer": ("libdevice.pow(v, 3)", "v ** 3"),
    "atan2": ("libdevice.atan2(v, w)", "torch.atan2(v, w)"),
    "fmod": ("libdevice.fmod(v, w)", "torch.fmod(v, w)"),
    "remainder": ("libdevice.remainder(v, w)",
                  "torch.tensor([math.remainder(a, b) for a, b in zip(v.tolist(), w.tolist())])"),
    "hypot": ("libdevice.hypot(v, w)", "torch.hypot(v, w)"),
    "copysign": ("libdevice.copysign(v, w)", "torch.copysign(v, w)"),
    "fma": ("libdevice.fma(v, w, v)", "v * w + v"),
    "round": ("libdevice.round(v * 2) / 2", "torch.trunc(v * 2 + torch.copysign(torch.tensor(.5), v)) / 2"),
    "rint": ("libdevice.rint(v)", "v.round()"),
    "normcdf": ("libdevice.normcdf(v)", "torch.erfc(-v.double() / 2**.5) / 2"),
    "bessel": ("libdevice.j0(v) + libdevice.cyl_bessel_i0(v)",
               "torch.special.bessel_j0(v) + torch.special.i0(v)"),
    "tgamma": ("libdevice.tgamma(tl.abs(v) + 1)", "torch.lgamma(v.abs() + 1).exp()"),
    "sinpi": ("libdevice.sinpi(v)", "(v.double() * math.pi).sin()"),
    "isnan": ("libdevice.isnan(tl.sqrt(v))", "(v < 0)"),
    "fast": ("libdevice.fast_expf(v)", "v.exp()"),
    "divided": ("libdevice.fast_dividef(v, w)", "v / w"),
    "rounded up": ("libdevice.add_ru(v, 1e-10)",
                   "torch.where(v.double() + 1e-10 > v, v.nextafter(torch.tensor(9.)), v)"),
    "to integers": ("libdevice.float2int_rd(v)", "v.floor()"),
    "too large for integers": ("libdevice.float2int_rz(v * 1e20)", "torch.sign(v) * 2.0**31"),
    "from integers": ("libdevice.int2float_rn(k)", "k"),
    "bits": ("libdevice.int_as_float(libdevice.float_as_int(v))", "v"),
    "counted": ("libdevice.popc(k)", "torch.tensor([bin(i).count('1') for i in k.tolist()])"),
    "leading": ("libdevice.clz(k)", "torch.tensor([32 - i.bit_length() for i in k.tolist()])"),
    "first": ("libdevice.ffs(k)", "torch.tensor([(i & -i).bit_length() for i in k.tolist()])"),
    "reversed": ("libdevice.brev(libdevice.brev(k))", "k"),
    "high half": ("libdevice.mulhi(k, k)", "k * k >> 32"),
    "bytes": ("libdevice.byte_perm(k, k, 0x7610)", "k"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_a_function_of_libdevice_is_right(child, name):
    load(child, *OTHERS[name])


def test_libdevice_has_doubles(child):
    load(child, "libdevice.erf(v)", "v.erf()", dtype="float64", stored="float64")


def test_a_type_that_a_function_does_not_take_does_not_compile(child):
    made = "libdevice.tanh(v.to(tl.float16))"
    source = SOURCE.format(
        imported=IMPORTS["of cuda"], made=made, expected="v", dtype="float32", stored="float32"
    )
    assert child.verdict_in(child.load(source, "triton"))[0] == "did_not_compile"


GAPS = {
    "assembly": ('tl.inline_asm_elementwise("ex2.approx.f32 $0, $1;", "=f,f", [v], dtype=tl.float32, '
                 "is_pure=True, pack=1)", "tl.inline_asm_elementwise"),
    "a library": ('tl.core.extern_elementwise("mine", "mine.bc", [v], {(tl.float32,): ("f", tl.float32)}, '
                  "is_pure=True)", "the function f of a library for GPUs"),
    "a rare function": ("libdevice.jn(at, v)", "the function __nv_jnf of a library for GPUs"),
    "a clock": ("tl.extra.cuda.globaltimer()", "tl.inline_asm_elementwise"),
    "each element": ("tl.map_elementwise(helper, v)", "tl.map_elementwise"),
}  # fmt: skip


@pytest.mark.parametrize("name", GAPS)
def test_what_the_interpreter_cannot_do_is_unsupported_and_says_where(child, name):
    made, what = GAPS[name]
    source = (SOURCE.replace("\n@triton.jit", "\n@triton.jit\ndef helper(x): return x\n@triton.jit", 1)).format(
        imported=IMPORTS["of cuda"], made=made,
        expected="v", dtype="float32", stored="float32",
    )  # fmt: skip
    verdict, details = child.verdict_in(child.load(source, "triton"))
    assert verdict == "unsupported", details
    line = 1 + source[: source.index(made[:12])].count("\n")
    assert details["summary"].startswith(f"kernel.py, line {line}: "), details
    assert what in details["summary"], details
