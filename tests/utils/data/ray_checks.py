"""Workers that are Ray actors, on a Ray of this machine: a command of its own, since Ray is large.

pip install ray && PYTHONPATH=build/site python -m tests.utils.data.ray_checks
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import rushlight
from rushlight.utils.data import DataLoader
from rushlight.utils.data.errors import RemoteTraceback
from tests.utils.data.datasets import Draws, Squares, Stream, Trouble, plain


def loader(dataset: Any, workers: int = 2, **more: Any) -> DataLoader[Any]:
    return DataLoader(dataset, 3, seed=4, num_workers=workers, worker_type="ray", **more)


def failure(dataset: Any, error: type[Exception], **more: Any) -> Exception:
    try:
        list(loader(dataset, 1, **more))
    except error as caught:
        return caught
    raise AssertionError(f"no {error.__name__}")


def same_data() -> None:
    for dataset in (Draws(11), Stream(11)):
        alone = DataLoader(dataset, 3, seed=4)
        helped = loader(dataset, persistent_workers=True)
        for _ in range(2):
            assert plain(list(helped)) == plain(list(alone))


def writable_arrays() -> None:
    batch = next(iter(loader(Squares(3), 1)))
    assert isinstance(batch[1], rushlight.Tensor)
    batch[1].numpy()[:] = 1


def resume() -> None:
    """Everywhere in two epochs: from actors to no workers, and from two actors to one."""
    for dataset in (Draws(8), Stream(8)):
        shuffle = isinstance(dataset, Draws) or None
        helped = loader(dataset, shuffle=shuffle, persistent_workers=True)
        batches: list[Any] = []
        states = [(0, json.dumps(helped.state_dict()))]  # batches consumed, state
        for _ in range(2):
            for batch in helped:
                batches.append(plain(batch))
                states.append((len(batches), json.dumps(helped.state_dict())))
            states.append((len(batches), json.dumps(helped.state_dict())))
        assert len(batches) == 6
        del helped
        for consumed, state in states:
            kinds = [DataLoader(dataset, 3, shuffle=shuffle, seed=4)]
            if consumed == 2:
                kinds.append(loader(dataset, 1, shuffle=shuffle, persistent_workers=True))
            for again in kinds:
                again.load_state_dict(json.loads(state))
                got = [plain(b) for _ in range(3) for b in again]
                assert got[: 6 - consumed] == batches[consumed:], (dataset, consumed)


def errors() -> None:
    cause = failure(Trouble(9, "raise"), ZeroDivisionError).__cause__
    assert isinstance(cause, RemoteTraceback)
    assert "DataLoader worker actor 0" in str(cause)
    assert "exited unexpectedly" in str(failure(Trouble(9, "kill"), RuntimeError))
    message = str(failure(Trouble(9, "hang"), RuntimeError, timeout=60))
    assert "timed out after 60" in message
    assert "wait_for_ever" in message


def main() -> None:
    import ray

    # Ray gives its workers the lowest priority; on a busy machine they would hardly run.
    os.environ.setdefault("RAY_worker_niceness", "0")
    paths = [str(Path(__file__).parents[3]), *filter(None, sys.path)]
    environment = {"env_vars": {"PYTHONPATH": os.pathsep.join(paths)}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    for check in (same_data, writable_arrays, resume, errors):
        check()
        print(f"{check.__name__}: ok", flush=True)
    ray.shutdown()


if __name__ == "__main__":
    main()
