"""The kinds of calls that random programs are made of, and how often each comes."""

from __future__ import annotations

from typing import Any

from .calls import DType, Var
from .maker import (
    DTYPES,
    INTEGERS,
    Maker,
    convertible,
    finite_in,
    is_complex,
    is_float,
    overlap,
    repeats,
)
from .observe import dtype_name


def words(text: str) -> list[str]:
    return text.split()


# signbit and copysign would tell the sign of NaN, which no library defines.
UNARY = words("""
    abs neg relu sign square tanh sigmoid exp sqrt rsqrt reciprocal log log1p expm1 sin cos
    floor ceil round trunc isnan isinf isfinite logical_not bitwise_not erf  positive
    frac nan_to_num exp2 log2 log10 sinh cosh atan asinh erfc deg2rad real angle
""")
COMPLEX_UNARY = words("abs neg square exp sin cos real imag isnan isfinite logical_not")
BINARY = words("""
    add sub mul div maximum minimum fmax fmin eq ne lt le gt ge logical_and logical_or
    logical_xor bitwise_and bitwise_or bitwise_xor atan2 hypot  true_divide
""")
DIVIDING = words("floor_divide remainder fmod")
SYMBOLS = words("add sub mul truediv and or xor lt le gt ge eq ne")
REDUCE = words("""
    sum mean prod amax amin any all argmax argmin var std logsumexp count_nonzero max min nansum
""")
ALONG = words("cumsum cumprod softmax log_softmax sort cummax cummin flip argsort logcumsumexp")
IN_PLACE = words("""
    add_ sub_ mul_ div_ copy_ lt_ eq_ logical_and_ bitwise_xor_
""")
IN_PLACE_UNARY = words("""
    abs_ neg_ relu_ sigmoid_ tanh_ exp_ sqrt_ floor_ zero_ square_ sign_ round_ reciprocal_
    logical_not_
""")
AUGMENTED = words("iadd isub imul itruediv iand ior ixor")


def start(g: Maker) -> None:
    """Two to four tensors to begin with."""
    for _ in range(g.rng.randint(2, 4)):
        constant(g)


def constant(g: Maker) -> None:
    dtype, shape = g.rng.choice(DTYPES), g.shape()
    if 0 in shape:
        g.add("torch.zeros", shape, dtype=DType(dtype))
        return

    def nested(sizes: list[int]) -> Any:
        if sizes:
            return [nested(sizes[1:]) for _ in range(sizes[0])]
        if dtype == "bool":
            return g.chance(0.5)
        if dtype in INTEGERS:
            return g.rng.randint(0 if dtype == "uint8" else -9, 9)
        return g.rng.randint(-16, 16) / 4

    g.add("torch.tensor", nested(shape), dtype=DType(dtype))


def creation(g: Maker) -> None:
    dtype = DType(g.rng.choice(DTYPES))
    name = g.rng.choice(("zeros", "ones", "full", "arange", "eye", "linspace", "like", "new"))
    if name in ("zeros", "ones"):
        g.add(f"torch.{name}", g.shape(), **({"dtype": dtype} if g.chance(0.6) else {}))
    elif name == "full":
        g.add("torch.full", g.shape(), g.number())
    elif name == "arange":
        g.add("torch.arange", g.rng.randint(0, 3), g.rng.randint(3, 9), g.rng.choice((1, 2, 0.5)))
    elif name == "eye":
        g.add("torch.eye", g.rng.randint(1, 4), **({"dtype": dtype} if g.chance(0.3) else {}))
    elif name == "linspace":
        g.add("torch.linspace", -1, g.rng.choice((1, 2.5)), g.rng.randint(1, 6))
    elif x := g.tensor():
        if name == "like":
            g.add(g.rng.choice(("torch.zeros_like", "torch.ones_like")), x)
        else:
            g.add(g.rng.choice((".new_zeros", ".new_ones")), x, g.shape())


def unary(g: Maker) -> None:
    if x := g.tensor():
        # Branch cuts depend on the sign of zero, which roundings do not tell.
        name = g.rng.choice(COMPLEX_UNARY if is_complex(g.of(x)) else UNARY)
        g.add(f"torch.{name}" if g.chance(0.7) else f".{name}", x)


def binary(g: Maker) -> None:
    x = g.tensor()
    if x is None:
        return
    other: Any = partner(g, x) if g.chance(0.65) else g.number(dtype_name(g.of(x)))
    how = g.rng.random()
    if is_complex(g.of(x)) or (isinstance(other, Var) and is_complex(g.of(other))):
        g.add(g.rng.choice(("torch.add", "torch.mul", "sub", "eq")), x, other)
    elif how < 0.4:
        g.add(f"torch.{g.rng.choice(BINARY)}", x, other)
    elif how < 0.8:
        pair = (x, other) if isinstance(other, Var) or g.chance(0.7) else (other, x)
        g.add(g.rng.choice(SYMBOLS), *pair)
    elif how < 0.87 and not isinstance(other, Var):
        exponent = g.rng.choice((2, 3, 0.5, 1, 0))
        g.add("pow", x, exponent)
    elif how < 0.95:
        divide(g, x)
    else:
        g.add(g.rng.choice(("torch.add", "torch.sub")), x, other, alpha=g.rng.choice((2, 3)))


def divide(g: Maker, x: Var) -> None:
    """Divisions that round to integers: by numbers that are no rounding away from a step."""
    if is_float(g.of(x)) or not finite_in(g.of(x), "int64"):
        return
    name = g.rng.choice(DIVIDING)
    divisor = g.rng.choice((2, 3, 5, -2)) if dtype_name(g.of(x)) != "uint8" else 3
    if name == "floor_divide" and g.chance(0.5):
        g.add("torch.div", x, divisor, rounding_mode=g.rng.choice(("floor", "trunc")))
    else:
        g.add(f"torch.{name}", x, divisor)


def partner(g: Maker, x: Var) -> Var:
    """A tensor that broadcasts with ``x``, if there is one."""
    shape = tuple(g.of(x).shape)
    other = None if g.chance(0.05) else g.tensor(lambda t: broadcasts(tuple(t.shape), shape))
    return other or g.tensor() or x


def broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(a[::-1], b[::-1], strict=False))


def fits(value: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether ``value`` can be expanded to ``target``."""
    if len(value) > len(target):
        return False
    return all(m in (1, n) for m, n in zip(value[::-1], target[::-1], strict=False))


def ternary(g: Maker) -> None:
    x = g.tensor()
    if x is None:
        return
    name = g.rng.choice(("where", "clamp", "addcmul", "lerp", "masked_fill", "clamp_tensor"))
    if name == "clamp":
        low, high = sorted((g.rng.randint(-3, 3), g.rng.randint(-3, 3)))
        kwargs = g.rng.choice(({"min": low}, {"max": high}, {"min": low, "max": high}))
        g.add("torch.clamp", x, **kwargs)
    elif name == "clamp_tensor":
        g.add("torch.clamp", x, min=partner(g, x))
    elif name == "where":
        mask = g.tensor(lambda t: dtype_name(t) == "bool")
        if mask:
            g.add("torch.where", mask, x, partner(g, x) if g.chance(0.7) else g.number())
    elif name == "masked_fill":
        mask = g.tensor(lambda t: dtype_name(t) == "bool" and broadcasts(t.shape, g.of(x).shape))
        if mask:
            g.add(".masked_fill", x, mask, g.number(dtype_name(g.of(x))))
    elif name == "addcmul":
        g.add("torch.addcmul", x, partner(g, x), partner(g, x), value=2)
    else:
        g.add("torch.lerp", x, partner(g, x), 0.5)


def reduction(g: Maker) -> None:
    x = g.tensor()
    name = g.rng.choice(REDUCE)
    if x is None or (is_complex(g.of(x)) and name not in ("sum", "mean", "prod", "any", "all")):
        return
    function = f"torch.{name}" if g.chance(0.6) else f".{name}"
    if name == "logsumexp" or g.chance(0.6):
        args: tuple[Any, ...] = (g.dim(g.of(x)),)
        if name in ("sum", "mean", "amax", "amin") and g.of(x).ndim > 1 and g.chance(0.3):
            args = ([0, -1],)
        kwargs = {"keepdim": g.chance(0.5)} if name != "count_nonzero" and g.chance(0.5) else {}
        g.add(function, x, *args, **kwargs)
    else:
        g.add(
            function, x, **({"dtype": DType("float64")} if name == "sum" and g.chance(0.2) else {})
        )


def along(g: Maker) -> None:
    x = g.tensor()
    if x is None:
        return
    name = g.rng.choice(ALONG)
    dim: Any = g.dim(g.of(x))
    if is_complex(g.of(x)) or ("softmax" in name and not is_float(g.of(x))):
        name = "flip"
    if name == "flip":
        g.add("torch.flip", x, [dim])
    elif name == "sort":
        g.add("torch.sort", x, dim, stable=True)
    elif name == "argsort":
        g.add("torch.argsort", x, dim, stable=True)
    elif g.chance(0.1):
        g.add("torch.roll", x, g.rng.randint(-2, 2), dim)
    else:
        g.add(f"torch.{name}", x, dim)


def view(g: Maker) -> None:
    x = g.tensor()
    if x is None:
        return
    t, dim = g.of(x), g.dim(g.of(x))
    size = t.shape[dim] if t.ndim else 1
    name = g.rng.choice(VIEWS)
    if name in ("transpose", "swapaxes", "movedim"):
        g.add(f".{name}", x, dim, g.dim(t))
    elif name == "permute":
        order = list(range(t.ndim))
        g.rng.shuffle(order)
        g.add(".permute", x, order)
    elif name in ("reshape", "view"):
        g.add(f".{name}", x, factors(g, t.numel()))
    elif name == "unsqueeze":
        g.add(".unsqueeze", x, g.rng.randint(-t.ndim - 1, t.ndim))
    elif name == "squeeze":
        g.add(".squeeze", x, *((dim,) if g.chance(0.5) else ()))
    elif name == "expand":
        wide = [g.rng.choice((1, 2, 3)) if n == 1 else n for n in t.shape]
        g.add(".expand", x, ([2] if g.chance(0.4) else []) + wide)
    elif name == "narrow" and size:
        first = g.rng.randint(0, size - 1)
        g.add(".narrow", x, dim, first, g.rng.randint(1, size - first))
    elif name == "select" and size:
        g.add(".select", x, dim, g.rng.randint(-size, size - 1))
    elif name == "unfold" and size:
        g.add(".unfold", x, dim, g.rng.randint(1, size), g.rng.randint(1, 2))
    elif name == "diagonal":
        g.add(".diagonal", x, g.rng.randint(-1, 1))
    elif name in ("split", "chunk"):
        g.add(f"torch.{name}", x, g.rng.randint(1, 3), dim)
    elif name == "unbind" and size < 5:
        g.add("torch.unbind", x, dim)
    elif name == "flatten":
        g.add(".flatten", x)
    else:
        g.add(f".{g.rng.choice(PLAIN_VIEWS)}", x)


VIEWS = words("""
    transpose permute reshape view unsqueeze squeeze expand narrow select unfold diagonal split
    chunk unbind flatten plain movedim swapaxes
""")
PLAIN_VIEWS = words("t detach contiguous ravel squeeze clone")


def factors(g: Maker, numel: int) -> list[int]:
    """A shape of ``numel`` elements, sometimes with a -1, rarely of another size."""
    if numel == 0:
        return [0, g.rng.randint(1, 3)]
    shape, rest = [], numel
    for f in (2, 3, 5):
        if rest % f == 0 and g.chance(0.6):
            shape.append(f)
            rest //= f
    shape.append(rest)
    g.rng.shuffle(shape)
    if g.chance(0.3):
        shape[g.rng.randrange(len(shape))] = -1
    return shape if not g.chance(0.03) else [*shape, 2]


def conversion(g: Maker) -> None:
    x = g.tensor()
    if x is None:
        return
    dtype = g.rng.choice(DTYPES)
    if not convertible(g.of(x), dtype):
        return
    how = g.rng.random()
    if how < 0.6:
        g.add(".to", x, DType(dtype))
    elif how < 0.8:
        g.add(g.rng.choice((".float", ".double", ".bool")), x)
    elif (y := g.tensor()) and convertible(g.of(x), dtype_name(g.of(y))):
        g.add(".type_as", x, y)


def joining(g: Maker) -> None:
    x = g.tensor()
    if x is None:
        return
    shape = tuple(g.of(x).shape)
    y = g.tensor(lambda t: tuple(t.shape) == shape) or x
    name = g.rng.choice(("cat", "stack", "hstack", "tril", "repeat", "outer", "diff", "vstack"))
    if name == "cat":
        dim = g.dim(g.of(x))
        z = g.tensor(lambda t: t.ndim == len(shape)) or y
        g.add("torch.cat", [x, z] if g.chance(0.7) else [x, y, x], dim)
    elif name == "stack":
        g.add("torch.stack", [x, y], g.dim(g.of(x)))
    elif name in ("hstack", "vstack"):
        g.add(f"torch.{name}", [x, y])
    elif name == "tril":
        g.add(g.rng.choice(("torch.tril", "torch.triu")), x, g.rng.randint(-1, 1))
    elif name == "repeat":
        g.add(".repeat", x, [g.rng.randint(1, 2) for _ in shape] + [2])
    elif name == "diff":
        if g.of(x).numel():
            g.add("torch.diff", x)
    else:
        vector = g.tensor(lambda t: t.ndim == 1)
        if vector:
            g.add("torch.outer", vector, g.tensor(lambda t: t.ndim == 1))


def products(g: Maker) -> None:
    x = g.tensor(lambda t: t.ndim > 0 and t.numel() > 0 and not is_complex(t)
                 and dtype_name(t) != "bool")  # fmt: skip
    if x is None:
        return
    columns = g.of(x).shape[-1]
    y = g.tensor(lambda t: t.ndim > 0 and t.shape[-2 if t.ndim > 1 else 0] == columns)
    if y is None:
        return
    if dtype_name(g.of(x)) != dtype_name(g.of(y)) and g.chance(0.95):
        return
    g.add(*(g.rng.choice((("torch.matmul",), ("matmul",)))), x, y)


def gathering(g: Maker) -> None:
    x = g.tensor(lambda t: t.ndim > 0 and t.numel() > 0)
    if x is None:
        return
    t, dim = g.of(x), g.dim(g.of(x))
    name = g.rng.choice(("index_select", "gather", "take", "masked_select", "nonzero", "along"))
    places = [g.rng.randrange(t.shape[dim]) for _ in range(g.rng.randint(1, 4))]
    if name == "masked_select":
        mask = g.tensor(lambda m: dtype_name(m) == "bool" and broadcasts(m.shape, t.shape))
        if mask:
            g.add("torch.masked_select", x, mask)
    elif name == "nonzero":
        g.add("torch.nonzero", x)
    elif name == "take":
        g.add("torch.tensor", [g.rng.randrange(t.numel()) for _ in places])
        g.add("torch.take", x, Var(g._next - 1))
    elif name == "index_select":
        g.add("torch.tensor", places)
        g.add("torch.index_select", x, dim, Var(g._next - 1))
    else:
        index: Any = places
        for _ in range(t.ndim - 1):
            index = [index]
        if t.ndim > 1:  # ones everywhere but along dim, where the places are
            shape = [1] * t.ndim
            shape[dim] = len(places)
            g.add("torch.tensor", places)
            g.add(".reshape", Var(g._next - 1), shape)
        else:
            g.add("torch.tensor", places)
        where = "torch.gather" if name == "gather" else "torch.take_along_dim"
        args = (dim, Var(g._next - 1)) if name == "gather" else (Var(g._next - 1), dim)
        g.add(where, x, *args)


def index_of(g: Maker, t: Any) -> Any:
    """An index for a tensor: ints, slices, None, ``...``, lists of ints, a mask."""
    if g.chance(0.15):
        mask = g.tensor(lambda m: dtype_name(m) == "bool" and tuple(m.shape) == tuple(t.shape))
        if mask and t.ndim:
            return mask
    parts: list[Any] = []
    lists = 0
    for size in t.shape[: g.rng.randint(0, t.ndim)] if t.ndim else ():
        kind = g.rng.choice(("int", "slice", "slice", "all", "list"))
        if kind == "int" and size:
            parts.append(g.rng.randint(-size, size - 1))
        elif kind == "list" and t.numel() and lists < 2 and g.chance(0.4):
            lists += 1
            parts.append([g.rng.randrange(size) for _ in range(2)])
        elif kind == "slice":
            first = g.rng.choice((None, 0, 1, -1, -2))
            last = g.rng.choice((None, None, 2, -1, 3))
            parts.append(slice(first, last, g.rng.choice((None, None, 2))))
        else:
            parts.append(slice(None))
    if g.chance(0.12):
        parts.insert(g.rng.randint(0, len(parts)), None)
    if lists:
        return tuple(parts)
    if g.chance(0.25) or not parts:
        parts.insert(g.rng.randint(0, len(parts)), Ellipsis)
    return parts[0] if len(parts) == 1 and not isinstance(parts[0], list) else tuple(parts)


def getitem(g: Maker) -> None:
    if x := g.tensor():
        g.add("getitem", x, index_of(g, g.of(x)))


def setitem(g: Maker) -> None:
    x = g.tensor(lambda t: not repeats(t))
    if x is None:
        return
    index = index_of(g, g.of(x))
    try:
        region = g.of(x)[g.of(index) if isinstance(index, Var) else index]
    except (IndexError, RuntimeError, ValueError, TypeError):
        return
    dtype = dtype_name(g.of(x))
    value: Any = g.number(dtype)
    if dtype == "uint8":
        value = abs(value)
    if g.chance(0.5):
        other = g.tensor(
            lambda t: (
                fits(tuple(t.shape), tuple(region.shape))
                and not overlap(t, g.of(x))
                and convertible(t, dtype)
            )
        )
        value = other or value
    itself = isinstance(index, Var) and memory(g.of(index)) == memory(g.of(x))
    if isinstance(value, Var) and not g.errors:  # what PyTorch refuses, only PyTorch knows
        itself |= memory(g.of(value)) == memory(g.of(x))
    if _twice(index) or itself:
        return
    if not isinstance(value, Var) and dtype in INTEGERS:
        value = int(value)
    g.add("setitem", x, index, value)


def memory(tensor: Any) -> int:
    return int(tensor.untyped_storage().data_ptr())


def _twice(index: Any) -> bool:
    """Whether lists of an index name a place twice: the order of writes would matter."""
    parts = index if isinstance(index, tuple) else (index,)
    lists = [part for part in parts if isinstance(part, list)]
    return bool(lists) and len(set(zip(*lists, strict=True))) < len(lists[0])


def writing(g: Maker) -> None:
    """In-place methods, operators such as ``+=``, and ``out=``."""
    x = g.tensor()
    if x is None:
        return
    t, dtype = g.of(x), dtype_name(g.of(x))
    if repeats(t) and any(s != 0 for s, n in zip(t.stride(), t.shape, strict=True) if n > 1):
        return  # overlapping windows: undefined in PyTorch, not refused
    how = g.rng.random()
    if how < 0.25:
        # Complex numbers at infinity and NaN differ from compiler to compiler.
        names = ["neg_", "square_", "zero_"] if is_complex(t) else IN_PLACE_UNARY
        g.add(f".{g.rng.choice(names)}", x)
    elif how < 0.5:
        name = g.rng.choice(IN_PLACE)
        other = source_for(g, x)
        if other is not None:
            g.add(f".{name}", x, other)
    elif how < 0.65:
        other = source_for(g, x)
        if other is not None:
            g.add(g.rng.choice(AUGMENTED), x, other)
    elif how < 0.75:
        g.add(".fill_", x, abs(g.rng.randint(0, 5)))
    elif how < 0.85:
        low = g.rng.randint(-2, 1)
        g.add(".clamp_", x, max(low, 0) if dtype == "uint8" else low, 3)
    else:
        moved(g, x)


def source_for(g: Maker, x: Var) -> Any:
    """What may be written into ``x`` element by element."""
    t, dtype = g.of(x), dtype_name(g.of(x))
    if g.chance(0.4):
        number = g.number(dtype)
        return abs(number) if dtype == "uint8" else number
    return g.tensor(
        lambda o: (
            fits(tuple(o.shape), tuple(t.shape)) and not overlap(o, t) and convertible(o, dtype)
        )
    )


def moved(g: Maker, x: Var) -> None:
    """Writes by index, and methods that change a tensor's shape in place."""
    t = g.of(x)
    if t.ndim == 0 or t.numel() == 0 or repeats(t):
        return
    dim, name = g.dim(t), g.rng.choice(("index_fill_", "masked_fill_", "index_add_", "scatter_",
                                        "t_", "transpose_", "unsqueeze_", "squeeze_"))  # fmt: skip
    if name == "masked_fill_":
        mask = g.tensor(lambda m: dtype_name(m) == "bool" and fits(m.shape, t.shape)
                        and not overlap(m, t))  # fmt: skip
        if mask:
            g.add(".masked_fill_", x, mask, g.rng.randint(0, 3))
    elif name in ("t_", "squeeze_"):
        g.add(f".{name}", x)
    elif name == "transpose_":
        g.add(".transpose_", x, dim, g.dim(t))
    elif name == "unsqueeze_":
        g.add(".unsqueeze_", x, 0)
    else:
        count = g.rng.randint(1, t.shape[dim])
        g.add("torch.tensor", g.rng.sample(range(t.shape[dim]), count))
        index = Var(g._next - 1)
        if name == "index_fill_":
            g.add(".index_fill_", x, dim, index, g.rng.randint(0, 3))
        elif name == "scatter_":
            shape = [1] * t.ndim
            shape[dim] = count
            g.add(".reshape", index, shape)
            g.add(".scatter_", x, dim, Var(g._next - 1), g.rng.randint(0, 3))
        else:
            sizes = list(t.shape)
            sizes[dim] = count
            g.add("torch.ones", sizes, dtype=DType(dtype_name(t)))
            g.add(".index_add_", x, dim, index, Var(g._next - 1))


def into(g: Maker) -> None:
    """``out=``: a tensor that there is, of the right shape or another."""
    x = g.tensor()
    if x is None:
        return
    t = g.of(x)
    target = g.tensor(lambda o: not overlap(o, t) and not repeats(o) and o is not t
                      and (tuple(o.shape) == tuple(t.shape) or alone(o)))  # fmt: skip
    if target is None:
        return
    if g.chance(0.5):
        if dtype_name(g.of(target)) != dtype_name(t):
            return  # PyTorch computes exp in the dtype of the output
        g.add(f"torch.{g.rng.choice(('exp', 'neg', 'abs', 'sign', 'floor'))}", x, out=target)
    else:
        y = g.tensor(lambda o: fits(tuple(o.shape), tuple(t.shape))
                     and not overlap(o, g.of(target)) and o is not g.of(target))  # fmt: skip
        if y:
            g.add(f"torch.{g.rng.choice(('add', 'mul', 'maximum', 'eq', 'sub'))}", x, y, out=target)


def alone(tensor: Any) -> bool:
    """Whether it has no memory that resizing it would leave to other views."""
    return int(tensor.untyped_storage().nbytes()) == 0


def reading(g: Maker) -> None:
    if x := g.tensor():
        g.read(x)


FAMILIES = {
    constant: 2, creation: 3, unary: 12, binary: 18, ternary: 4, reduction: 10, along: 5, view: 16,
    conversion: 5, joining: 5, products: 3, gathering: 5, getitem: 10, setitem: 10, writing: 14,
    into: 3, reading: 3,
}  # fmt: skip
