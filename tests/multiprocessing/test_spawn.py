"""`spawn` and its errors."""

from __future__ import annotations

import pickle
import signal

import numpy as np
import pytest

import rushlight.multiprocessing as mp
from tests.multiprocessing import children


def test_ranks_share_the_arguments() -> None:
    array = mp.share_memory(np.zeros(3))
    assert mp.spawn(children.rank_into, args=(array,), nprocs=3) is None
    assert array.tolist() == [1, 2, 3]


def test_an_exception_arrives_with_rank_and_traceback() -> None:
    with pytest.raises(mp.ProcessRaisedException) as caught:
        mp.start_processes(children.raise_in_rank_1, nprocs=2, start_method="fork")
    text = str(caught.value)
    assert "-- Process 1 terminated with the following error:" in text
    assert "raise_in_rank_1" in text
    assert "KeyError: 'the missing key'" in text
    assert caught.value.error_index == 1
    assert caught.value.error_pid > 0


def test_a_long_error_does_not_block() -> None:
    with pytest.raises(mp.ProcessRaisedException, match="the end"):
        mp.start_processes(children.long_error, nprocs=1, start_method="fork")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_signal_has_its_name(number: signal.Signals) -> None:
    with pytest.raises(mp.ProcessExitedException, match=f"signal {number.name}") as caught:
        mp.start_processes(children.kill_itself, (int(number),), 1, start_method="fork")
    assert caught.value.exit_code == -number
    assert caught.value.signal_name == number.name


def test_a_real_crash_has_its_name() -> None:
    with pytest.raises(mp.ProcessExitedException, match="process 0 terminated with signal SIGSEGV"):
        mp.start_processes(children.read_address_zero, nprocs=1, start_method="fork")


def test_an_exit_code() -> None:
    with pytest.raises(mp.ProcessExitedException, match="process 0 terminated with exit code 3"):
        mp.start_processes(children.exit_with, (3,), 2, start_method="fork")


def test_without_join() -> None:
    array = mp.share_memory(np.zeros(2))
    context = mp.start_processes(children.rank_into, (array,), 2, join=False, start_method="fork")
    assert context is not None
    assert len(context.pids()) == 2
    while not context.join(timeout=5):
        pass
    assert context.join()
    assert array.tolist() == [1, 2]


def test_errors_can_be_pickled() -> None:
    for error in (
        mp.ProcessRaisedException("text", 1, 2),
        mp.ProcessExitedException("text", 1, 2, -9, "SIGKILL"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == "text"
        assert vars(again) == vars(error)


def test_spawn_warns_of_other_start_methods() -> None:
    with pytest.warns(FutureWarning, match="start_processes"):
        mp.spawn(children.rank_into, (np.zeros(1),), 1, start_method="fork")
