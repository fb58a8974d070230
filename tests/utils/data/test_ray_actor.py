"""What a Ray actor does with its calls, without Ray: those of its two groups come in any order."""

from __future__ import annotations

from typing import Any

import pytest

from rushlight.utils.data.collation import default_collate
from rushlight.utils.data.packing import unpack_by_value
from rushlight.utils.data.ray_pool import _Actor
from rushlight.utils.data.tasks import Epoch, Spec, Task
from rushlight.utils.data.worker_info import current
from tests.utils.data.datasets import Squares


@pytest.fixture
def actor(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(type(current), "context", current.context)
    return _Actor(Spec(Squares(6), False, default_collate, True, 3, False, None, 1), 0)


def numbers(actor: Any, token: int) -> list[int]:
    reply = unpack_by_value(actor.run(Task(0, token, 0, 1, [[0, 1, 2], [3, 4, 5]])))
    return [batch.number for batch in reply.batches]


def test_a_task_may_come_before_the_news_of_its_pass(actor: Any) -> None:
    assert actor.begin(Epoch(7, seed=0)) is None
    assert numbers(actor, 7) == [0, 1]
    actor.want(7)
    assert numbers(actor, 7) == [0, 1]


def test_tasks_of_an_earlier_pass_are_not_done(actor: Any) -> None:
    actor.want(8)  # before the calls of the pass that was given up
    actor.begin(Epoch(7, seed=0))
    assert numbers(actor, 7) == []
    actor.begin(Epoch(8, seed=0))
    assert numbers(actor, 8) == [0, 1]
