"""Random programs are what `tests.programs` says; found faults, one for each kind."""

from __future__ import annotations

import pytest

import rushlight as torch
from tests.programs.calls import Call, Program, Var, script
from tests.programs.shrink import shrink, without


def test_a_program_prints_as_python() -> None:
    program = [
        Call("torch.tensor", ([[1.0, 2.0]],), targets=(0,)),
        Call("getitem", (Var(0), (Ellipsis, slice(1, None))), targets=(1,)),
        Call("iadd", (Var(1), 3)),
        Call("read", (Var(0),)),
    ]
    text = script(program)
    assert "v1 = v0[..., 1:]" in text
    assert "v1 += 3" in text
    exec(compile(text, "program", "exec"), {})


def test_shrinking_keeps_what_fails() -> None:
    program: Program = [Call("torch.zeros", (n,), targets=(n,)) for n in range(9)]
    program += [Call("add", (Var(3), Var(4)), targets=(9,)), Call("neg", (Var(9),), targets=(10,))]
    small = shrink(program, lambda p: any(call.function == "add" for call in p))
    assert [call.source() for call in small] == [
        "v3 = torch.zeros(3)", "v4 = torch.zeros(4)", "v9 = v3 + v4",
    ]  # fmt: skip
    assert without(program, 3, 4) == [c for c in program if c.targets[0] not in (3, 9, 10)]


def test_copy_takes_a_number() -> None:
    x = torch.zeros(2, 3)
    assert x.copy_(0.5) is x
    assert x.tolist() == [[0.5] * 3] * 2
    with pytest.raises(TypeError):
        x.copy_([0.5])


def test_a_column_of_coordinates_is_contiguous() -> None:
    assert torch.nonzero(torch.ones(2, 3)).stride() == (1, 6)


def test_functions_that_return_their_argument() -> None:
    x = torch.ones(3)
    for same in (x.contiguous(), x.flatten(), x.positive(), x.type_as(x), torch.real(x)):
        assert same is x
    assert x.reshape(3) is not x and x.reshape(3).data_ptr() == x.data_ptr()
    diagonal = torch.ones(3, 3).diagonal()
    assert diagonal.flatten() is diagonal
    assert diagonal.reshape(3).data_ptr() == diagonal.data_ptr()
    assert diagonal.ravel().stride() == (1,)


def test_a_view_that_no_strides_describe() -> None:
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        torch.ones(2, 3).t().view(6)
    assert torch.ones(2, 3).t().reshape(6).shape == (6,)


def test_copies_keep_the_order_of_dimensions() -> None:
    x = torch.zeros(2, 4, 4).diagonal(1)
    assert x.stride() != (1, 4)
    for y in (x.clone(), x.flip(0), x.abs(), torch.empty_like(x)):
        assert y.stride() == (1, 4)


def test_a_tensor_written_into_itself() -> None:
    x = torch.arange(4)
    x[None] = x
    assert x.tolist() == [0, 1, 2, 3]
    one = torch.ones(1)
    with pytest.raises(RuntimeError, match="single memory location"):
        one[None] = one
    with pytest.raises(RuntimeError, match="single memory location"):
        x[[0, 1, 2, 3]] = x


def test_a_source_written_by_index_has_the_dtype() -> None:
    x = torch.zeros(2, 3)
    with pytest.raises(RuntimeError, match="source and destination dtypes match"):
        x[:, [2, 0]] = torch.tensor([1, 2])
    x[x == 0] = torch.tensor(2)  # one number for a mask is a fill
    assert x.sum() == 12


def test_out_has_the_dtype_where_the_function_keeps_it() -> None:
    with pytest.raises(RuntimeError, match="Found dtype"):
        torch.neg(torch.ones(2, dtype=torch.float64), out=torch.ones(2))
    out = torch.ones(2, dtype=torch.float64)
    assert torch.exp(torch.zeros(2), out=out) is out


def test_plus_of_a_bool_tensor() -> None:
    with pytest.raises(RuntimeError, match="bool tensor is not supported"):
        torch.tensor([True]).positive()


def test_nothing_is_written_where_there_is_nothing() -> None:
    x = torch.ones(1).expand(2, 0, 1)
    x *= torch.ones(1)
    assert x.shape == (2, 0, 1)
    same = torch.ones(1).expand(3)
    assert same.copy_(same) is same
