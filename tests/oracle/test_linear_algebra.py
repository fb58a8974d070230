"""Matrix products against PyTorch: shapes, strides, dtypes, argument forms and errors."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch

import rushlight

pytestmark = pytest.mark.oracle

REAL = ["float32", "float64", "complex64", "complex128", "int64", "int32", "int16", "int8", "uint8"]
HALF = ["float16", "bfloat16"]
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float64": 1e-12, "complex128": 1e-12}


def random(*sizes: int, dtype: str = "float32") -> Any:
    kind = getattr(torch, dtype)
    if kind.is_floating_point or kind.is_complex:
        wide = torch.complex128 if kind.is_complex else torch.float64
        return torch.randn(sizes, dtype=wide).to(kind)
    return torch.randint(0 if dtype == "uint8" else -9, 10, sizes, dtype=kind)


def check(name: str, *args: Any, **kwargs: Any) -> None:
    packet, _, overload = name.partition(".")
    overload = overload or "default"
    expected = getattr(getattr(torch.ops.aten, packet), overload)(*args, **kwargs)
    got = getattr(getattr(rushlight.ops.aten, packet), overload)(*args, **kwargs)
    actual = torch.from_dlpack(got)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    tolerance = TOLERANCE.get(str(expected.dtype).removeprefix("torch."), 1e-5)
    if not (expected.is_floating_point() or expected.is_complex()):
        assert torch.equal(actual, expected)
        return
    wide = torch.complex128 if expected.is_complex() else torch.float64
    x, y = actual.to(wide), expected.to(wide)
    assert torch.equal(x.isnan(), y.isnan())
    x, y = x.nan_to_num(), y.nan_to_num()
    assert (x - y).norm() <= tolerance * max(y.norm().item(), 1e-3)


def strided(t: Any, form: str) -> Any:
    """The same values at other strides."""
    if form == "transposed":
        return t.transpose(-1, -2).contiguous().transpose(-1, -2)
    if form == "spread":
        return torch.stack([t, t], -1)[..., 0]
    return t


@pytest.mark.parametrize("dtype", REAL + HALF)
@pytest.mark.parametrize(
    ("m", "k", "n"),
    [
        (1, 1, 1),
        (2, 3, 4),
        (7, 17, 33),
        (1, 64, 100),
        (3, 65, 70),
        (13, 31, 1),
        (0, 3, 4),
        (3, 0, 4),
        (3, 4, 0),
        (50, 700, 90),
    ],
)
def test_mm(m: int, k: int, n: int, dtype: str) -> None:
    check("mm", random(m, k, dtype=dtype), random(k, n, dtype=dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "bfloat16"])
@pytest.mark.parametrize("m", [1, 2, 3, 5, 12, 13, 40])
def test_mm_strides(m: int, dtype: str) -> None:
    forms = ["plain", "transposed", "spread"]
    for left, right in itertools.product(forms, forms):
        a, b = random(m, 70, dtype=dtype), random(70, 53, dtype=dtype)
        check("mm", strided(a, left), strided(b, right))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64", "complex64"])
@pytest.mark.parametrize("input_sizes", [(5,), (2, 5), (3, 2, 5), (0, 5), (2, 1, 3, 5)])
def test_linear(input_sizes: tuple[int, ...], dtype: str) -> None:
    x, w, b = random(*input_sizes, dtype=dtype), random(4, 5, dtype=dtype), random(4, dtype=dtype)
    check("linear", x, w)
    check("linear", x, w, b)
    check("linear", x, w, random(1, dtype=dtype))
    check("linear", strided(x, "spread"), strided(w, "transposed"), strided(b, "spread"))
    check("linear", x, random(5, dtype=dtype))


def test_linear_large() -> None:
    for m, k, n in [(128, 768, 768), (1, 768, 3072), (9, 300, 301), (64, 31, 2)]:
        check("linear", random(m, k), random(n, k), random(n))


@pytest.mark.parametrize("dtype", REAL + HALF)
@pytest.mark.parametrize("add", [(), (1,), (6,), (4, 1), (4, 6), (1, 6)])
def test_addmm(add: tuple[int, ...], dtype: str) -> None:
    a, b, c = random(4, 5, dtype=dtype), random(5, 6, dtype=dtype), random(*add, dtype=dtype)
    check("addmm", c, a, b)
    check("addmm", c, a, b, beta=2, alpha=3)
    check("addmm", c, a, b, beta=0)
    check("addmm", c, a, strided(b, "transposed"), beta=-1)


def test_addmm_beta_zero_ignores_nan() -> None:
    check("addmm", torch.full((6,), float("nan")), random(4, 5), random(5, 6), beta=0)
    check("addmm", random(6), random(4, 0), random(0, 6), beta=0.5)
    check("addmm", random(6), random(4, 5), random(5, 6), beta=0.5, alpha=-0.25)


@pytest.mark.parametrize("dtype", REAL + HALF)
def test_batches(dtype: str) -> None:
    for b, m, k, n in [(3, 4, 5, 6), (1, 2, 3, 4), (0, 2, 3, 4), (12, 30, 16, 30), (2, 3, 0, 4)]:
        x, y = random(b, m, k, dtype=dtype), random(b, k, n, dtype=dtype)
        check("bmm", x, y)
        check("bmm", strided(x, "transposed"), strided(y, "transposed"))
        check("bmm", x, y[:1].expand(b, k, n))
        check("baddbmm", random(n, dtype=dtype), x, y)
        check("baddbmm", random(b, m, 1, dtype=dtype), x, y, beta=2, alpha=3)
        check("addbmm", random(m, n, dtype=dtype), x, y, beta=2, alpha=3)


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int64", "bfloat16"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3,)),
        ((3,), (5, 3, 4)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((5, 1, 2, 3), (6, 3, 4)),
        ((1, 2, 3), (5, 3, 4)),
        ((2, 0, 3), (3, 4)),
        ((0,), (0,)),
        ((2, 5, 2, 0), (5, 0, 3)),
    ],
)
def test_matmul(a: tuple[int, ...], b: tuple[int, ...], dtype: str) -> None:
    x, y = random(*a, dtype=dtype), random(*b, dtype=dtype)
    check("matmul", x, y)
    check("matmul", strided(x, "spread"), strided(y, "spread"))
    if len(a) > 2:
        check("matmul", x.transpose(0, 1).contiguous().transpose(0, 1), y)


@pytest.mark.parametrize("dtype", REAL + HALF)
def test_vectors(dtype: str) -> None:
    a, v, w = random(40, 70, dtype=dtype), random(70, dtype=dtype), random(40, dtype=dtype)
    check("mv", a, v)
    check("mv", strided(a, "transposed"), strided(v, "spread"))
    check("addmv", w, a, v, beta=2, alpha=3)
    check("addmv", random(dtype=dtype), a, v)
    check("addmv", w, a[:, :0], v[:0])
    check("dot", v, strided(v, "spread"))
    check("vdot", v, v)
    check("dot", v[:0], v[:0])


EQUATIONS = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij->ji", [(2, 3)]),
    ("ii->i", [(3, 3)]),
    ("ii", [(3, 3)]),
    ("ij->", [(2, 3)]),
    ("ij->j", [(2, 3)]),
    ("i,j->ij", [(2,), (3,)]),
    ("i,i->", [(5,), (5,)]),
    ("bij,bjk->bik", [(4, 2, 3), (4, 3, 5)]),
    ("bhid,bhjd->bhij", [(2, 3, 4, 5), (2, 3, 6, 5)]),
    ("...ij,...jk->...ik", [(2, 3, 4), (1, 4, 5)]),
    ("...i,...j", [(2, 3), (4, 2, 5)]),
    ("i...->...", [(2, 3, 4)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
    ("ij,ik,il->jkl", [(2, 3), (2, 4), (2, 5)]),
    ("ij,kj->i k", [(2, 3), (4, 3)]),
    ("ij,j->ij", [(2, 3), (1,)]),
    ("ab,cd->acbd", [(2, 3), (4, 5)]),
    ("iij,jk->ik", [(2, 2, 3), (3, 4)]),
    ("Ba,Ab", [(2, 3), (4, 5)]),
    ("ij,k->i", [(2, 3), (4,)]),
    ("ij,jk->ik", [(0, 3), (3, 4)]),
    ("ij,jk->ik", [(2, 0), (0, 4)]),
]


@pytest.mark.parametrize(("equation", "sizes"), EQUATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "bfloat16"])
def test_einsum(equation: str, sizes: list[tuple[int, ...]], dtype: str) -> None:
    check("einsum", equation, [random(*s, dtype=dtype) for s in sizes])
    check("einsum", equation, [strided(random(*s, dtype=dtype), "spread") for s in sizes])


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int64"])
def test_tensordot(dtype: str) -> None:
    a, b = random(2, 3, 4, dtype=dtype), random(4, 3, 5, dtype=dtype)
    check("tensordot", a, b, [1, 2], [1, 0])
    check("tensordot", a, b, [-1], [0])
    check("tensordot", a, b, [], [])
    check("tensordot", a, random(1, 5, dtype=dtype), [1], [0])


@pytest.mark.parametrize("dtype", [*REAL, *HALF])
def test_outer_and_kron(dtype: str) -> None:
    check("outer", random(5, dtype=dtype), random(7, dtype=dtype))
    check("outer", random(5, dtype=dtype), random(3))
    check("kron", random(2, 3, dtype=dtype), random(4, 5, 6, dtype=dtype))
    check("kron", random(dtype=dtype), random(3, dtype=dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_bilinear(dtype: str) -> None:
    w, b = random(5, 3, 4, dtype=dtype), random(5, dtype=dtype)
    for lead in [(), (2,), (2, 6), (0,)]:
        x, y = random(*lead, 3, dtype=dtype), random(*lead, 4, dtype=dtype)
        check("bilinear", x, y, w, b)
        check("bilinear", x, y, w)


def test_trilinear() -> None:
    x, w, y = random(2, 3), random(5, 3, 4), random(2, 4)
    check("_trilinear", x, w, y, [1, 3], [0], [1, 2], [2, 3])
    check("_trilinear", random(3, 4), random(3, 4), random(3, 4), [], [], [], [1])


def test_int_mm() -> None:
    check("_int_mm", random(20, 40, dtype="int8"), random(40, 24, dtype="int8"))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("linear", [(2, 3), (4, 5)]),
        ("linear", [(2, 2, 3), (4, 5)]),
        ("linear", [(2, 3), (4, 3), (5,)]),
        ("linear", [(), (3,)]),
        ("mm", [(2, 3), (4, 5)]),
        ("addmm", [(7,), (2, 4), (4, 5)]),
        ("addmm", [(5,), (2, 3), (4, 5)]),
        ("bmm", [(2, 3, 4), (2, 5, 4)]),
        ("baddbmm", [(3, 3, 3), (2, 3, 4), (2, 4, 4)]),
        ("matmul", [(), (3,)]),
        ("matmul", [(2, 3), (2,)]),
        ("matmul", [(2,), (3, 2)]),
        ("matmul", [(2, 3, 4), (3, 4, 5)]),
        ("matmul", [(2, 3, 4), (2, 5, 5)]),
        ("matmul", [(2, 3, 4), (5, 5)]),
        ("mv", [(2, 3), (4,)]),
        ("mv", [(2, 3, 4), (4,)]),
        ("dot", [(2,), (3,)]),
        ("dot", [(2, 2), (3,)]),
        ("addmv", [(5,), (2, 3), (3,)]),
        ("outer", [(2, 2), (3,)]),
        ("bilinear", [(2, 3), (3, 4), (5, 3, 4)]),
        ("bilinear", [(2, 3), (2, 4), (5, 4, 4)]),
    ],
)
def test_errors_read_like_pytorch(name: str, args: list[tuple[int, ...]]) -> None:
    tensors = [random(*sizes) for sizes in args]
    with pytest.raises(RuntimeError) as expected:
        getattr(torch.ops.aten, name)(*tensors)
    with pytest.raises(RuntimeError) as actual:
        getattr(rushlight.ops.aten, name)(*tensors)
    assert str(expected.value).split("\n")[0] in str(actual.value)


@pytest.mark.parametrize(
    ("equation", "sizes"),
    [
        ("ij,jk->ik", [(2, 3), (4, 5)]),
        ("ij->ik", [(2, 3)]),
        ("ijk", [(2, 3)]),
        ("i,j", [(2,)]),
        ("i", [(2,), (2,)]),
        ("i1", [(2, 3)]),
        ("ij->ii", [(2, 3)]),
        ("ii", [(2, 3)]),
        ("i.j", [(2, 3)]),
    ],
)
def test_einsum_errors(equation: str, sizes: list[tuple[int, ...]]) -> None:
    tensors = [random(*s) for s in sizes]
    with pytest.raises(RuntimeError) as expected:
        torch.ops.aten.einsum(equation, tensors)
    with pytest.raises(RuntimeError) as actual:
        rushlight.ops.aten.einsum(equation, tensors)
    assert str(expected.value).split("\n")[0] in str(actual.value)
