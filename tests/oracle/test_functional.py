"""Functions written in Python (rushlight.nn.functional, rushlight._tensor) against PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import rushlight as rl
from rushlight.nn import functional as F  # noqa: N812

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(0)
X = rng.normal(size=(4, 6)).astype(np.float32)
Y = rng.normal(size=(4, 6)).astype(np.float32)
P = 1 / (1 + np.exp(-X))
IMAGE = rng.normal(size=(2, 4, 8, 8)).astype(np.float32)
SIGNAL = rng.normal(size=(2, 3, 16)).astype(np.float32)
CLASSES = np.array([0, 3, 5, 1])
SIGNS = np.sign(Y)

# name, positional arguments, keywords
FUNCTIONAL: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("relu", (X,), {}),
    ("relu6", (X,), {}),
    ("leaky_relu", (X, 0.2), {}),
    ("elu", (X, 0.5), {}),
    ("selu", (X,), {}),
    ("celu", (X, 0.7), {}),
    ("gelu", (X,), {"approximate": "tanh"}),
    ("silu", (X,), {}),
    ("mish", (X,), {}),
    ("hardsigmoid", (X,), {}),
    ("hardswish", (X,), {}),
    ("hardtanh", (X, -0.5, 0.5), {}),
    ("threshold", (X, 0.1, 7.0), {}),
    ("glu", (X,), {}),
    ("tanhshrink", (X,), {}),
    ("softsign", (X,), {}),
    ("softplus", (X, 2.0), {}),
    ("logsigmoid", (X,), {}),
    ("softmax", (X, 1), {}),
    ("softmin", (X, 0), {}),
    ("log_softmax", (X,), {"dim": 1, "dtype": "float64"}),
    ("layer_norm", (X, (6,)), {"eps": 1e-3}),
    ("rms_norm", (X, (6,)), {}),
    ("group_norm", (IMAGE, 2), {}),
    ("instance_norm", (IMAGE,), {}),
    ("local_response_norm", (IMAGE, 3), {}),
    ("normalize", (X,), {"p": 1.0, "dim": 0}),
    ("mse_loss", (X, Y), {}),
    ("l1_loss", (X, Y), {"reduction": "sum"}),
    ("smooth_l1_loss", (X, Y), {"beta": 0.5}),
    ("huber_loss", (X, Y), {"reduction": "none"}),
    ("soft_margin_loss", (X, SIGNS), {}),
    ("hinge_embedding_loss", (X, SIGNS), {}),
    ("margin_ranking_loss", (X, Y, SIGNS), {"margin": 0.1}),
    ("cosine_embedding_loss", (X, Y, SIGNS[:, 0]), {"margin": 0.1}),
    ("triplet_margin_loss", (X, Y, Y[::-1].copy()), {"swap": True}),
    ("triplet_margin_with_distance_loss", (X, Y, Y[::-1].copy()), {}),
    ("multilabel_soft_margin_loss", (X, (SIGNS > 0).astype(np.float32)), {}),
    ("multi_margin_loss", (X, CLASSES), {"margin": 0.5}),
    ("poisson_nll_loss", (X, np.abs(Y)), {"full": True}),
    ("gaussian_nll_loss", (X, Y, np.abs(Y) + 0.1), {"full": True}),
    ("kl_div", (np.log(P), P), {"reduction": "batchmean"}),
    ("binary_cross_entropy", (P, P[::-1].copy()), {}),
    ("binary_cross_entropy_with_logits", (X, P), {"pos_weight": np.ones(6, np.float32)}),
    ("nll_loss", (X, CLASSES), {"ignore_index": 3}),
    ("cross_entropy", (X, CLASSES), {"label_smoothing": 0.1}),
    ("max_pool2d", (IMAGE, 2), {"return_indices": True}),
    ("max_pool1d", (SIGNAL, 3, 2), {"padding": 1}),
    ("avg_pool2d", (IMAGE, 3), {"stride": 2, "count_include_pad": False}),
    ("adaptive_avg_pool2d", (IMAGE, (3, None)), {}),
    ("adaptive_max_pool1d", (SIGNAL, 5), {"return_indices": True}),
    ("lp_pool2d", (np.abs(IMAGE), 2.0, 2), {}),
    ("conv2d", (IMAGE, rng.normal(size=(5, 4, 3, 3)).astype(np.float32)), {"padding": "same"}),
    ("unfold", (IMAGE, 3), {"padding": 1}),
    ("fold", (rng.normal(size=(1, 8, 9)).astype(np.float32), (4, 4), 2), {}),
    ("pad", (IMAGE, (1, 2, 0, 1)), {"mode": "reflect"}),
    ("pad", (IMAGE, (1, -2)), {"value": 3.0}),
    ("interpolate", (IMAGE,), {"scale_factor": 1.5, "mode": "bilinear", "align_corners": False}),
    ("interpolate", (IMAGE,), {"size": (5, 11), "mode": "nearest-exact"}),
    ("interpolate", (IMAGE,), {"size": 4, "mode": "area"}),
    ("pixel_shuffle", (IMAGE, 2), {}),
    ("one_hot", (CLASSES, 7), {}),
    ("embedding", (CLASSES, Y.repeat(2, 0)), {}),
    ("embedding_bag", (CLASSES.reshape(2, 2), Y.repeat(2, 0)), {"mode": "max"}),
    ("cosine_similarity", (X, Y), {}),
]  # fmt: skip

FUNCTIONS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("norm", (X,), {}),
    ("norm", (X, 1, 1), {"keepdim": True}),
    ("norm", (X, float("inf"), 0), {}),
    ("split", (X, 4, 1), {}),
    ("split", (X, (1, 3)), {}),
    ("tensordot", (X, Y.T.copy()), {"dims": 1}),
    ("tensordot", (X, Y), {"dims": ([0], [0])}),
    ("cdist", (X, Y), {"p": 1.0}),
    ("gradient", (X,), {"spacing": 2.0, "dim": 1, "edge_order": 2}),
    ("combinations", (CLASSES,), {"r": 3}),
    ("unique", (CLASSES[[0, 1, 0, 2, 2]],), {"return_inverse": True, "return_counts": True}),
    ("unique", (np.sign(X),), {"dim": 0}),
    ("unique_consecutive", (np.array([1, 1, 2, 1]),), {"return_counts": True}),
    ("unravel_index", (np.array([3, 10, 22]), (4, 6)), {}),
    ("float_power", (np.abs(X), 1.5), {}),
    ("hann_window", (9,), {}),
    ("hamming_window", (9,), {"periodic": False}),
    ("blackman_window", (8,), {}),
    ("bartlett_window", (9,), {}),
    ("kaiser_window", (8, True), {"beta": 5.0}),
    ("range", (1, 4, 0.5), {}),
    ("isreal", (X,), {}),
    ("quantile", (X, 0.3), {"dim": 1}),
    ("cov", (X,), {}),
    ("renorm", (X, 2.0, 0, 1.0), {}),
    ("allclose", (X, X + 1e-9), {}),
    ("equal", (X, Y), {}),
]


def converted(value: Any, lib: Any) -> Any:
    if isinstance(value, np.ndarray):
        return lib.tensor(value)
    if isinstance(value, str) and value in ("float64", "float32"):
        return getattr(lib, value)
    return value


def compare(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            compare(a, b)
        return
    if not isinstance(theirs, torch.Tensor):
        assert ours == theirs
        return
    assert str(ours.dtype).rpartition(".")[2] == str(theirs.dtype).rpartition(".")[2]
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=2e-5, atol=2e-6)
    assert tuple(ours.shape) == tuple(theirs.shape)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "args", "kwargs"), FUNCTIONAL, ids=lambda v: str(v)[:20])
def test_functional(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    run(F, torch.nn.functional, name, args, kwargs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "args", "kwargs"), FUNCTIONS, ids=lambda v: str(v)[:20])
def test_functions(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    run(rl, torch, name, args, kwargs)


def run(here: Any, there: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    ours = getattr(here, name)(
        *[converted(a, rl) for a in args], **{k: converted(v, rl) for k, v in kwargs.items()}
    )
    theirs = getattr(there, name)(
        *[converted(a, torch) for a in args], **{k: converted(v, torch) for k, v in kwargs.items()}
    )
    compare(ours, theirs)
