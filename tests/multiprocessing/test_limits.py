"""When descriptors or shared memory run out, and what is left behind at the end."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from rushlight.multiprocessing import _shm
from tests.multiprocessing import stress

ROOT = Path(__file__).parents[2]


def run(program: str, inside: Sequence[str] = (), **environment: str) -> str:
    """Standard output of a program in a process, and a manager, of its own."""
    inherited = {k: v for k, v in os.environ.items() if k != "RUSHLIGHT_SHM_MANAGER"}
    done = subprocess.run(
        [*inside, sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
        env=inherited | environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_600_tensors_with_256_open_files() -> None:
    program = """
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
        import numpy as np
        import rushlight
        import rushlight.multiprocessing as mp

        def send(queue, shared):
            for i in range(600):
                tensor = rushlight.Tensor(np.full(1, i))
                queue.put(tensor.share_memory_() if shared else tensor)

        for shared in (False, True):
            queue = mp.get_context("fork").Queue()
            child = mp.get_context("fork").Process(target=send, args=(queue, shared))
            child.start()
            kept = [queue.get(timeout=60) for _ in range(600)]
            child.join()
            print(sum(t.item() for t in kept), all(t.is_shared() == shared for t in kept))
    """
    assert run(program).split() == [str(sum(range(600))), "True"] * 2


def test_no_descriptor_left_at_all() -> None:
    program = """
        import os, resource
        import numpy as np
        import rushlight.multiprocessing as mp
        queue = mp.SimpleQueue()
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        files = []
        try:
            while True:
                files.append(open(os.devnull))
        except OSError:
            pass
        import threading
        sent = np.arange(100_000)
        thread = threading.Thread(target=queue.put, args=(sent,))
        thread.start()
        print(np.array_equal(queue.get(), sent))
        thread.join()
    """
    assert run(program).strip() == "True"


LIMIT = 8 << 20


def small_tmpfs(folder: Path) -> list[str]:
    """The command that runs another one with named segments in a tmpfs of 8 MiB."""
    mount = f'mount -t tmpfs -o size={LIMIT} none {folder} && exec "$0" "$@"'
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount]


def limits(folder: Path) -> list[tuple[list[str], dict[str, str]]]:
    """Ways to run out of shared memory here. Not every machine lets us mount a file system."""
    ways: list[tuple[list[str], dict[str, str]]] = [([], {"RUSHLIGHT_SHM_LIMIT": str(LIMIT)})]
    inside = small_tmpfs(folder)
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode == 0:
        ways.append((inside, {}))
    return ways


def test_full_shared_memory_is_an_error_with_numbers(tmp_path: Path) -> None:
    program = """
        import numpy as np
        import rushlight.multiprocessing as mp
        from rushlight.multiprocessing import _shm
        kept = []
        try:
            while True:
                block = _shm.allocate(500_000, named=True, strict=True)
                memoryview(block)[:] = bytes(500_000)
                kept.append(block)
        except OSError as error:
            print(error)
        print(len(kept))
        mp.set_sharing_strategy("file_system")
        here, there = mp.Pipe()
        here.send(np.ones(100_000))
        print(there.recv().sum())
        kept.clear()
        block = _shm.allocate(500_000, named=True, strict=True)
        memoryview(block)[:] = bytes(500_000)
        print("again")
    """
    for inside, environment in limits(tmp_path):
        output = run(program, inside, RUSHLIGHT_SHM_DIR=str(tmp_path), **environment).splitlines()
        assert f"cannot reserve 500000 bytes of shared memory in {tmp_path}, where" in output[0]
        assert "bytes are left" in output[0]
        assert 10 <= int(output[1]) <= 16
        assert output[2:] == ["100000.0", "again"]


def test_a_name_already_removed_is_no_error_at_exit(tmp_path: Path) -> None:
    program = """
        import os
        from rushlight.multiprocessing import _shm
        folder = os.environ["RUSHLIGHT_SHM_DIR"]
        block = _shm.allocate(1000, named=True)
        (name,) = os.listdir(folder)
        os.unlink(os.path.join(folder, name))
        memoryview(block)[:4] = b"fine"
        print(bytes(memoryview(block)[:4]).decode())
    """
    assert run(program, RUSHLIGHT_SHM_DIR=str(tmp_path)).strip() == "fine"


def test_the_manager_ends_with_its_last_process_and_removes_names(tmp_path: Path) -> None:
    program = """
        import os, signal
        from rushlight.multiprocessing import _shm
        block = _shm.allocate(1000, named=True)
        names = os.listdir(os.environ["RUSHLIGHT_SHM_DIR"])
        print(_shm.manager_stat()["pid"], len(names), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    other = tmp_path / "somebody-elses"
    other.write_bytes(b"")
    environment = {k: v for k, v in os.environ.items() if k != "RUSHLIGHT_SHM_MANAGER"}
    killed = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment | {"RUSHLIGHT_SHM_DIR": str(tmp_path)},
    )
    assert killed.returncode == -9, killed.stderr
    pid, names = killed.stdout.split()
    assert names == "2"
    stress.wait_until(lambda: list(tmp_path.iterdir()) == [other])
    stress.wait_until(lambda: not stress.runs(int(pid)))


def test_a_killed_manager_is_replaced(tmp_path: Path) -> None:
    program = """
        import os, pickle, signal
        from rushlight.multiprocessing import _shm
        from rushlight.multiprocessing.arena import allocate
        old = _shm.allocate(1000, named=True)
        os.kill(_shm.manager_stat()["pid"], signal.SIGKILL)
        memoryview(old)[:4] = b"kept"
        while True:
            try:
                pickle.dumps(old)
            except OSError as error:
                print("gone" in str(error))
                break
        new = _shm.allocate(1000, named=True)
        print(bytes(memoryview(old)[:4]).decode(), pickle.loads(pickle.dumps(new)).nbytes)
        print(len(os.listdir(os.environ["RUSHLIGHT_SHM_DIR"])))
    """
    # The new manager removes what the killed one left.
    assert run(program, RUSHLIGHT_SHM_DIR=str(tmp_path)).split() == ["True", "kept", "1000", "1"]
    stress.wait_until(lambda: list(tmp_path.iterdir()) == [])


def test_queues_outlive_a_killed_manager(tmp_path: Path) -> None:
    program = """
        import os, signal, time
        import numpy as np
        import rushlight.multiprocessing as mp
        from rushlight.multiprocessing import _shm
        queue, block = mp.Queue(), _shm.allocate(10)
        old = mp.share_memory(np.arange(100_000))
        queue.put(old)
        os.kill(_shm.manager_stat()["pid"], signal.SIGKILL)
        while block.alive():
            time.sleep(0.01)
        queue.put(mp.share_memory(np.arange(200_000)))
        queue.put(old)
        print([int(queue.get().sum()) for _ in range(3)])
    """
    expected = [sum(range(n)) for n in (100_000, 200_000, 100_000)]
    assert run(program, RUSHLIGHT_SHM_DIR=str(tmp_path)).strip() == str(expected)


def test_a_message_waits_until_descriptors_are_left(tmp_path: Path) -> None:
    program = """
        import os, resource
        import numpy as np
        import rushlight.multiprocessing as mp

        def receive(queue, replies):
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
            files = []
            try:
                while True:
                    files.append(open(os.devnull))
            except OSError:
                pass
            try:
                queue.get()
            except OSError as error:
                replies.put(str(error))
            files.clear()
            replies.put(int(queue.get().sum()))

        context = mp.get_context("fork")
        queue, replies = context.Queue(), context.Queue()
        child = context.Process(target=receive, args=(queue, replies))
        child.start()
        mp.set_sharing_strategy("file_system")  # memory that the child has not mapped
        queue.put(np.arange(100_000))
        print(replies.get(timeout=60))
        print(replies.get(timeout=60))
        child.join()
    """
    error, total = run(program, RUSHLIGHT_SHM_DIR=str(tmp_path)).splitlines()
    assert "no file descriptor left" in error
    assert int(total) == sum(range(100_000))


def test_kills_at_random_moments() -> None:
    stress.kill_at_random_moments(kills=12, seed=5)


def test_the_manager_does_nothing_by_hand() -> None:
    program = Path(_shm.__file__).parent / "rushlight-shm-manager"
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=10)
    assert done.returncode == 1
    assert "no use by hand" in done.stderr
