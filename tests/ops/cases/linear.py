"""Matrix products and their kin."""

from __future__ import annotations

from collections.abc import Iterator

from .table import FLOATS, Case, Source, serves

TYPES = ("float32", "float64", "bfloat16", "float16", "int64")


@serves("mm.default", "bmm.default", "matmul.default", "mv.default", "dot.default",
        "vdot.default", "outer.default", "addmm.default", "baddbmm.default", "addmv.default",
        "linear.default", "kron.default", "inner.default")  # fmt: skip
def products(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in TYPES:

        def new(*shape: int, kind: str = dtype) -> object:
            return source(shape, kind)

        table: dict[str, list[tuple[object, ...]]] = {
            "mm": [(new(3, 4), new(4, 5)), (source((4, 3), dtype).T, new(4, 5)),
                   (new(0, 4), new(4, 5)), (new(3, 0), new(0, 5)),
                   (new(3, 4), source((5, 4), dtype).T), (new(33, 65), new(65, 17))],
            "bmm": [(new(2, 3, 4), new(2, 4, 5)), (new(0, 3, 4), new(0, 4, 5)),
                    (source((2, 4, 3), dtype).swapaxes(1, 2), new(2, 4, 5))],
            "matmul": [(new(4), new(4)), (new(3, 4), new(4)), (new(4), new(4, 5)),
                       (new(3, 4), new(4, 5)), (new(2, 3, 4), new(4, 5)),
                       (new(3, 4), new(2, 4, 5)), (new(2, 1, 3, 4), new(5, 4, 2)),
                       (new(2, 3, 4), new(4))],
            "mv": [(new(3, 4), new(4))],
            "dot": [(new(4), new(4))],
            "vdot": [(new(4), new(4))],
            "outer": [(new(3), new(4))],
            "addmm": [(new(3, 5), new(3, 4), new(4, 5)), (new(5), new(3, 4), new(4, 5)),
                      (new(1, 5), source((4, 3), dtype).T, source((5, 4), dtype).T)],
            "baddbmm": [(new(2, 3, 5), new(2, 3, 4), new(2, 4, 5)),
                        (new(5), new(2, 3, 4), new(2, 4, 5))],
            "addmv": [(new(3), new(3, 4), new(4))],
            "linear": [(new(3, 4), new(5, 4)), (new(2, 3, 4), new(5, 4), new(5)),
                       (new(4), new(5, 4), new(5)), (new(0, 4), new(5, 4), new(5))],
            "kron": [(new(2, 3), new(3, 2))],
            "inner": [(new(3, 4), new(2, 4))],
        }  # fmt: skip
        for args in table[name]:
            yield args, {}
        if name in ("addmm", "baddbmm", "addmv"):
            yield table[name][0], {"beta": 2, "alpha": 3}
            yield table[name][0], {"beta": 0}


@serves("tensordot.default", "einsum.default", "cdist.default", "linalg_cross.default",
        "cross.default", "cosine_similarity.default", "pairwise_distance.default",
        "bilinear.default", "_trilinear.default")  # fmt: skip
def contractions(operator: str) -> Iterator[Case]:
    source = Source(operator)
    name = operator.split(".")[1]
    for dtype in ("float32", "float64"):
        x, y, z = source((2, 3), dtype), source((3, 4), dtype), source((2, 3, 4), dtype)
        table: dict[str, list[tuple[object, ...]]] = {
            "tensordot": [(z, y, [1, 2], [0, 1]), (x, y, [1], [0])],
            "einsum": [("ij,jk->ik", [x, y]), ("bij,ij->b", [z, y]),
                       ("...ij,jk -> ...ik", [z, y.T]),
                       ("ij->ji", [x]), ("ij->", [x]), ("ij,jk", [x, y])],
            "cdist": [(z, z), (x, source((5, 3), dtype)), (x, x, 1.0), (x, x, 3.0)],
            "linalg_cross": [(x, source((2, 3), dtype))],
            "cross": [(x, source((2, 3), dtype)), (x, source((2, 3), dtype), -1)],
            "cosine_similarity": [(x, source((2, 3), dtype)), (z, source((2, 3, 4), dtype), -1)],
            "pairwise_distance": [(x, source((2, 3), dtype)), (x, source((2, 3), dtype), 1.0)],
            "bilinear": [(x, source((2, 4), dtype), source((5, 3, 4), dtype)),
                         (x, source((2, 4), dtype), source((5, 3, 4), dtype), source((5,), dtype))],
            "_trilinear": [(x, source((2, 3), dtype), source((2, 3), dtype), [], [], [], [1])],
        }  # fmt: skip
        for args in table[name]:
            yield args, {}


@serves("softmax.int", "log_softmax.int", "_softmax.default", "_log_softmax.default")
def softmaxes(operator: str) -> Iterator[Case]:
    source = Source(operator)
    flag = (False,) if operator.endswith("default") else ()
    for dtype in FLOATS:
        for x in source.forms(dtype):
            yield (x, -1, *flag), {}
            yield (x, 0, *flag), {}
    yield (source((3, 200), "float32", -80, 80), 1, *flag), {}
    if not flag:
        yield (source((3, 4), "int64"), 1, "float32"), {}


@serves("scaled_dot_product_attention.default")
def attention(operator: str) -> Iterator[Case]:
    source = Source(operator)
    for dtype in ("float32", "float64", "bfloat16"):
        q, k, v = (source((2, 3, n, 8), dtype) for n in (5, 6, 6))
        yield (q, k, v), {}
        yield (q, k, v), {"scale": 0.5}
        yield (q, q, q, None, 0.0, True), {}
        yield (q, k, v, source((5, 6), dtype)), {}
        mask = source((2, 1, 5, 6), "bool")
        mask[..., 0] = True
        yield (q, k, v, mask), {}
    q, k = source((2, 4, 5, 8)), source((2, 2, 5, 8))
    yield (q, k, k), {"enable_gqa": True}
