"""Functions of neural networks: ``torch.nn.functional``."""

from __future__ import annotations

from rushlight._operators_nn_functional import *  # noqa: F403
from rushlight._operators_nn_functional import __all__ as _names
from rushlight.nn.functional import (
    activations,
    dropouts,
    losses,
    losses_margin,
    normalization,
    pooling,
    sampling,
)
from rushlight.nn.functional.activations import *  # noqa: F403
from rushlight.nn.functional.dropouts import *  # noqa: F403
from rushlight.nn.functional.losses import *  # noqa: F403
from rushlight.nn.functional.losses_margin import *  # noqa: F403
from rushlight.nn.functional.normalization import *  # noqa: F403
from rushlight.nn.functional.pooling import *  # noqa: F403
from rushlight.nn.functional.sampling import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    *_names,
    *activations.__all__,
    *dropouts.__all__,
    *losses.__all__,
    *losses_margin.__all__,
    *normalization.__all__,
    *pooling.__all__,
    *sampling.__all__,
]
