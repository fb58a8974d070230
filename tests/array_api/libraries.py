"""SciPy and scikit-learn on our arrays: the same as on NumPy's, and ours come back.

SCIPY_ARRAY_API=1 python -m tests.array_api.libraries
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight


def scipy_calls() -> dict[str, Callable[[Any], Any]]:
    from scipy import cluster, fft, signal, special, stats

    return {
        "stats.zscore": stats.zscore,
        "stats.skew": lambda x: stats.skew(x, axis=0),
        "stats.kurtosis": lambda x: stats.kurtosis(x, axis=0),
        "stats.gmean": lambda x: stats.gmean(abs(x), axis=0),
        "stats.entropy": lambda x: stats.entropy(abs(x), axis=0),
        "stats.ttest_1samp": lambda x: stats.ttest_1samp(x, 0.0, axis=0).statistic,
        "stats.pearsonr": lambda x: stats.pearsonr(x[:, 0], x[:, 1]).statistic,
        "special.expit": special.expit,
        "special.logsumexp": lambda x: special.logsumexp(x, axis=1),
        "special.softmax": lambda x: special.softmax(x, axis=1),
        "fft.fft": fft.fft,
        "fft.rfftn": fft.rfftn,
        "cluster.vq.whiten": cluster.vq.whiten,
        "signal.detrend": lambda x: signal.detrend(x, axis=0),
    }


def sklearn_calls() -> dict[str, Callable[[Any], Any]]:
    from sklearn.decomposition import PCA
    from sklearn.linear_model import Ridge
    from sklearn.metrics import mean_squared_error
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    return {
        "PCA": lambda x: abs(PCA(2, svd_solver="full").fit_transform(x)),
        "MinMaxScaler": lambda x: MinMaxScaler().fit_transform(x),
        "StandardScaler": lambda x: StandardScaler().fit_transform(x),
        "Ridge": lambda x: Ridge(solver="svd").fit(x, x[:, 0]).predict(x),
        "mean_squared_error": lambda x: mean_squared_error(x[:, 0], x[:, 1]),
    }


def main() -> None:
    import sklearn

    array = np.random.default_rng(0).normal(size=(20, 4))
    with sklearn.config_context(array_api_dispatch=True):
        for name, call in {**scipy_calls(), **sklearn_calls()}.items():
            ours, theirs = call(rushlight.tensor(array)), call(array)
            assert isinstance(ours, (rushlight.Tensor, float)), f"{name}: {type(ours)}"
            np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-9, err_msg=name)
            print(name, "ok")


if __name__ == "__main__":
    main()
