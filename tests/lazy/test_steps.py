"""rushlight.lazy: the functions of torch._lazy."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch
from rushlight import _C, lazy


def pending(x: torch.Tensor) -> bool:
    return _C.lazy_is_pending(x)


def test_mark_step_computes_all_that_is_alive_in_one_run() -> None:
    x = torch.ones(4)
    y, z = x * 2, x + 1
    assert pending(y) and pending(z)
    lazy.mark_step()
    assert not pending(y) and not pending(z)
    assert lazy.metrics.counter_value("Runs") == 1
    assert y.tolist() == [2.0] * 4 and z.tolist() == [2.0] * 4
    assert lazy.metrics.counter_value("Runs") == 1


def test_a_read_computes_what_shares_the_work() -> None:
    common = torch.ones(4).exp()
    a, b = common + 1, common * 2
    a.tolist()
    assert not pending(b)
    b.tolist()
    assert lazy.metrics.counter_value("Runs") == 1


def test_what_nobody_holds_is_not_computed() -> None:
    x = torch.ones(4) * 3
    dead = x.exp().sin()
    del dead
    assert "exp" not in lazy.dump_ir([x], "text")
    assert x.tolist() == [3.0] * 4


def test_sync_multi_and_to_cpu_keep_the_nesting() -> None:
    x = torch.ones(2)
    nested = {"a": [x + 1, 5], "b": (x * 4,)}
    out = lazy.to_cpu(nested)
    assert not pending(nested["a"][0])  # type: ignore[index]
    assert out["a"][0].tolist() == [2.0, 2.0] and out["a"][1] == 5
    assert out["b"][0].tolist() == [4.0, 4.0]
    y = x * 7
    lazy.sync_multi([y], [])
    assert not pending(y)


def test_other_devices_are_refused() -> None:
    for call in (
        lambda: lazy.mark_step("cuda:0"),
        lambda: lazy.wait_device_ops(["xla"]),
        lambda: lazy.sync_multi([], ["cuda"]),
        lambda: torch.ones(2) + torch.ones(2, device="cuda"),
    ):
        with pytest.raises(RuntimeError, match=r"cpu|CPU"):
            call()


def test_save_writes_values() -> None:
    file = io.BytesIO()
    lazy.save({"w": torch.ones(3) * 2}, file)
    file.seek(0)
    assert torch.load(file)["w"].tolist() == [2.0] * 3


def test_wait_device_ops_runs_what_other_threads_recorded() -> None:
    made: list[torch.Tensor] = []
    thread = threading.Thread(target=lambda: made.append(torch.ones(3) * 5))
    thread.start()
    thread.join()
    assert pending(made[0])
    lazy.wait_device_ops()
    assert not pending(made[0])


def test_tensor_ids_are_unique_and_stay() -> None:
    x = torch.ones(1)
    known = lazy.get_tensor_id(x)
    assert lazy.get_tensor_id(x) == known
    seen = {known}
    for _ in range(50):  # addresses come again, ids do not
        seen.add(lazy.get_tensor_id(torch.ones(1)))
    assert len(seen) == 51
    with pytest.raises(TypeError):
        lazy.get_tensor_id(3)  # type: ignore[arg-type]


def test_closures_run_after_the_step_in_order() -> None:
    seen: list[float] = []
    for i in range(3):
        lazy.add_step_closure(lambda x, k: seen.append(x.item() + k), (torch.ones(()) * i, 0.5))
    assert seen == []
    lazy.mark_step()
    assert seen == [0.5, 1.5, 2.5]
    lazy.mark_step()
    assert len(seen) == 3


def test_asynchronous_closures_run_elsewhere_and_their_errors_come_back() -> None:
    threads: list[int] = []
    lazy.add_step_closure(lambda: threads.append(threading.get_ident()), run_async=True)
    lazy.mark_step()
    handler = lazy.get_device_context().async_closure_handler
    assert isinstance(handler, lazy.closure.AsyncClosureHandler)
    handler.wait()
    assert threads and threads[0] != threading.get_ident()
    lazy.add_step_closure(lambda: 1 / 0, run_async=True)
    lazy.mark_step()
    handler.wait()
    lazy.add_step_closure(lambda: None, run_async=True)
    with pytest.raises(RuntimeError, match="previously raised") as error:
        lazy.mark_step()
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_errors_come_at_the_call() -> None:
    with pytest.raises(RuntimeError, match="size"):
        torch.ones(2, 3) + torch.ones(4)
    with pytest.raises(RuntimeError):
        torch.ones(2, 3) @ torch.ones(2, 3)
    with pytest.raises(IndexError):
        torch.ones(2).sum(3)
    with pytest.raises(TypeError):
        torch.add(torch.ones(2), "x")
    assert lazy.metrics.counter_value("Runs") == 0


def test_random_numbers_come_in_program_order() -> None:
    torch.manual_seed(3)
    a = torch.rand(3)
    b = torch.rand(3)
    torch.manual_seed(3)
    c = torch.rand(3) * 1
    d = torch.rand(3) * 1
    assert d.tolist() == b.tolist() and c.tolist() == a.tolist()  # read in the other order


def test_operators_that_run_at_the_call_are_counted_by_name() -> None:
    torch.tensor([0.0, 1.0]).nonzero()
    torch.rand(3)
    names = lazy.metrics.counter_names()
    assert "aten::nonzero" in names and "aten::rand" in names
    assert lazy.metrics.counter_value("aten::nonzero") == 1
    assert lazy.extract_compiled_graph.get_fallback_ops() == ["aten::nonzero=1", "aten::rand=1"]
    assert lazy.metrics.counter_value("no such counter") is None


def test_timers_have_medians() -> None:
    for _ in range(5):
        ((torch.ones(3) * 2) + 1).tolist()
    timing = lazy.metrics.timer_value("RunTime")
    assert timing is not None and timing.count == 5
    assert 0 < timing.median <= timing.total
    assert lazy.metrics.timer_value("nothing") is None
    report = lazy.metrics.metrics_report()
    assert "Metric: RunTime\n  TotalSamples: 5" in report and "Counter: Runs\n  Value: 5" in report
    lazy.metrics.reset()
    assert lazy.metrics.metrics_report() == ""


def test_numbers_that_change_are_no_new_program() -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    for i in range(20):
        (x * float(i) + 1).tolist()
    assert lazy.metrics.counter_value("Compilations") == 1
    assert lazy.metrics.counter_value("CachedRuns") == 19


@pytest.mark.filterwarnings("ignore:rushlight compiled")
def test_other_sizes_are_planned_again_and_not_compiled() -> None:
    for n in range(4, 24):
        x = torch.from_numpy(np.ones((n, 3), np.float32)).clone()
        y = (x * 2 + x.sum(0)).reshape(3, n)
        y[0] = 5
        assert y.sum().item() == 5 * n + (2 + n) * 2 * n
    assert lazy.metrics.counter_value("Compilations") == 1
    assert lazy.metrics.counter_value("Replans") == 19


def test_initialising_the_backend_says_once_that_it_does_nothing() -> None:
    lazy.ts_backend._said.clear()
    with pytest.warns(UserWarning, match="does nothing"):
        lazy.ts_backend.init()
    lazy.ts_backend.init()


def test_the_cache_is_written_as_a_graph(tmp_path: Path) -> None:
    (torch.ones(3) * 2 + 1).tolist()
    lazy.ir_cache.dump(str(tmp_path / "cache.dot"))
    text = (tmp_path / "cache.dot").read_text()
    assert text.startswith("digraph") and "3 operators" in text and "test_steps.py" in text
    lazy.ir_cache.reset()
    (torch.ones(3) * 2 + 1).tolist()
    assert lazy.metrics.counter_value("Compilations") == 2


def test_cached_graphs_run_on_other_inputs() -> None:
    x, w = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    y = (x * w + 1).exp()
    ids, inputs = lazy.computation.get_tensors_ts_device_data_node([y])
    assert ids == [lazy.get_tensor_id(t) for t in inputs] and len(ids) == 2
    key = lazy.computation.get_graph_hash([y])
    assert key == lazy.computation.get_graph_hash([(x * w + 1).exp()])
    (out,) = lazy.computation.run_cached_graph(key, [torch.zeros(2), torch.ones(2)])
    assert out.tolist() == pytest.approx([np.e] * 2)
    with pytest.raises(RuntimeError, match="differ"):
        lazy.computation.run_cached_graph(key, [torch.zeros(3), torch.ones(3)])
    with pytest.raises(RuntimeError, match="no program"):
        lazy.computation.run_cached_graph("00", [])
    y.tolist()
    with pytest.raises(RuntimeError, match="have their values"):
        lazy.computation.get_graph_hash([y])


def test_extracted_graphs_run_without_recording() -> None:
    def model(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y.add_(1)
        return x * y, x

    graph = lazy.extract_compiled_graph(model, [torch.ones(2), torch.ones(2)])
    x, y = torch.ones(2) * 3, torch.ones(2)
    product, same = graph(x, y)
    assert product.tolist() == [6.0, 6.0] and y.tolist() == [2.0, 2.0]
    assert same.tolist() == x.tolist()
    with pytest.raises(RuntimeError, match="Fail to extract"):
        lazy.extract_compiled_graph(lambda a: a[a > 0], [torch.ones(2)])
