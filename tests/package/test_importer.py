"""Importing from packages: forty ways in which Python code may use the import system."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import importlib.resources
import inspect
import multiprocessing
import pickle
import sys
import threading
import traceback
import types
import typing
from pathlib import Path

import pytest

from rushlight.package import PackageExporter, PackageImporter, is_from_package

from .packages import export, open_package


def run(code: str, **others: str) -> types.ModuleType:
    """The module ``main`` of a package that holds these modules."""
    return open_package({"main": code, **others}).import_module("main")


def test_modules_have_mangled_names_and_stand_in_sys_modules() -> None:
    importer = open_package({"lib/": "", "lib.mod": "x = 1"})
    module = importer.import_module("lib.mod")
    assert module.__name__ == f"{importer.id()}.lib.mod"
    assert module.__loader__ is importer
    assert module.__file__ == f"{importer.id()}.lib/mod.py"
    assert sys.modules[module.__name__] is module
    assert importer.modules["lib.mod"] is module
    assert importer.import_module(module.__name__) is module
    assert is_from_package(module)
    assert not is_from_package(sys)


def test_dataclass() -> None:
    module = run("""
        import dataclasses

        @dataclasses.dataclass
        class Point:
            x: int = 0
            y: int = dataclasses.field(default=0, repr=False)
    """)
    assert repr(module.Point(1, 2)) == "Point(x=1)"


def test_dataclass_with_annotations_as_text() -> None:
    module = run("""
        from __future__ import annotations
        import dataclasses
        from dataclasses import KW_ONLY, InitVar
        from typing import ClassVar

        @dataclasses.dataclass
        class Config:
            shared: ClassVar[int] = 5
            scale: InitVar[int] = 1
            size: int = 2
            _: KW_ONLY
            name: str = "n"

            def __post_init__(self, scale: int) -> None:
                self.size *= scale
    """)
    assert [field.name for field in dataclasses.fields(module.Config)] == ["size", "name"]
    assert module.Config(3).size == 6
    assert module.Config(3).shared == 5


def test_enum() -> None:
    module = run("""
        import enum

        class Colour(enum.Enum):
            RED = 1
            GREEN = 2

        class Mode(enum.IntFlag):
            READ = 1
            WRITE = 2
    """)
    assert module.Colour["RED"] is module.Colour(1)
    assert pickle.loads(pickle.dumps(module.Colour.GREEN)) is module.Colour.GREEN
    assert module.Mode.READ | module.Mode.WRITE == 3


def test_generic_and_type_hints() -> None:
    module = run("""
        from __future__ import annotations
        import typing
        from typing import Generic, NamedTuple, TypeVar

        T = TypeVar("T")

        class Box(Generic[T]):
            item: T
            other: Box[int]

            def swap(self, other: Box[T]) -> typing.Optional[T]: ...

        class Pair(NamedTuple):
            left: Box[int]
            right: int = 3
    """)
    assert typing.get_type_hints(module.Box)["other"] == module.Box[int]
    assert typing.get_type_hints(module.Box.swap)["other"] == module.Box[module.T]
    assert typing.get_type_hints(module.Pair)["left"] == module.Box[int]
    assert pickle.loads(pickle.dumps(module.Pair(1))) == (1, 3)


def test_singledispatch_on_annotations() -> None:
    module = run("""
        from __future__ import annotations
        import functools

        class Leaf: pass

        @functools.singledispatch
        def kind(x): return "other"

        @kind.register
        def _(x: Leaf): return "leaf"
    """)
    assert module.kind(module.Leaf()) == "leaf"


def test_source_and_tracebacks() -> None:
    module = run("""
        class Net:
            depth = 3

        def fail():
            raise ValueError("here")  # the line
    """)
    assert inspect.getsource(module.Net) == "class Net:\n    depth = 3\n"
    assert "the line" in inspect.getsource(module.fail)
    assert inspect.getmodule(module.Net) is module
    with pytest.raises(ValueError, match="here") as info:
        module.fail()
    assert "# the line" in "".join(traceback.format_exception(info.value))


def test_pickle_of_own_classes() -> None:
    module = run("""
        import pickle

        class Outer:
            class Inner:
                def __init__(self): self.x = 1

        def round_trip(obj): return pickle.loads(pickle.dumps(obj))
    """)
    inner = module.round_trip(module.Outer.Inner())
    assert type(inner) is module.Outer.Inner
    assert inner.x == 1
    assert type(copy.deepcopy(inner)) is module.Outer.Inner


WORKER = """
    import os

    class Result:
        def __init__(self, value): self.value = value

    def work(x):
        from helper import double
        return Result((double(x), os.getpid()))
"""


@pytest.mark.parametrize("kind", ["file", "buffer"])
def test_multiprocessing_with_spawn(tmp_path: Path, kind: str) -> None:
    file = export({"main": WORKER, "helper": "def double(x): return 2 * x"})
    if kind == "file":
        (tmp_path / "a.pkg").write_bytes(file.getvalue())
    other = open_package({"unrelated": ""})
    importer = PackageImporter(str(tmp_path / "a.pkg") if kind == "file" else file)
    module = importer.import_module("main")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        results = pool.map(module.work, [1, 2])
    assert [result.value[0] for result in results] == [2, 4]
    assert all(type(result) is module.Result for result in results)
    other.close()


def test_pickle_of_a_package_that_is_not_open_says_so() -> None:
    importer = open_package({"main": "class A: pass"})
    data = pickle.dumps(importer.import_module("main").A())
    importer.close()
    with pytest.raises(ModuleNotFoundError, match="not open in this process"):
        pickle.loads(data)


def test_circular_imports() -> None:
    module = run(
        "import other\nx = 1\ndef both(): return x + other.y",
        other="import main\ny = 2\ndef back(): return main.x",
    )
    assert module.both() == 3
    assert module.other.back() == 1


def test_circular_from_import_fails_as_in_python() -> None:
    with pytest.raises(ImportError, match="partially initialized"):
        run("from other import y\nx = 1", other="from main import x\ny = 2")


def test_relative_imports() -> None:
    importer = open_package(
        {
            "lib/": "from . import low\nfrom .low import value as top",
            "lib.low": "value = 1",
            "lib.deep/": "from .. import low\nfrom ..low import value\nfrom .leaf import name",
            "lib.deep.leaf": "from ..low import value\nname = __package__",
        }
    )
    assert importer.import_module("lib").top == 1
    deep = importer.import_module("lib.deep")
    assert deep.low is importer.import_module("lib.low")
    assert deep.name == f"{importer.id()}.lib.deep"
    assert importer.import_module(".low", "lib") is deep.low


@pytest.mark.parametrize("code", ["from . import other", "from .other import x"])
def test_relative_import_at_the_top_fails(code: str) -> None:
    importer = PackageImporter(export({"other": "x = 1"}))
    module = types.ModuleType("made_up")
    vars(module).update(__builtins__=importer.patched_builtins, __package__="")
    with pytest.raises(ImportError, match="no known parent package"):
        exec(code, vars(module))


def test_star_imports() -> None:
    module = run(
        "from lib import *\nfrom plain import *",
        **{
            "lib/": "__all__ = ['sub', 'x', '_shown']\nx = 1\n_shown = 2\nhidden = 3",
            "lib.sub": "",
            "plain": "y = 4\n_private = 5",
        },
    )
    assert (module.x, module._shown, module.y) == (1, 2, 4)
    assert module.sub.__name__.endswith("lib.sub")
    assert not hasattr(module, "hidden")
    assert not hasattr(module, "_private")


def test_import_binds_the_first_name_and_as_the_last() -> None:
    module = run(
        "import lib.sub\nimport lib.sub as last\nfirst = lib",
        **{"lib/": "name = 'lib'", "lib.sub": "name = 'sub'"},
    )
    assert (module.first.name, module.last.name) == ("lib", "sub")


def test_module_getattr() -> None:
    module = run(
        "from lazy import computed",
        lazy="def __getattr__(name):\n    if name == 'computed': return 7\n"
        "    raise AttributeError(name)",
    )
    assert module.computed == 7
    with pytest.raises(ImportError, match="cannot import name 'missing'"):
        run("from lazy import missing", lazy="x = 1")


def test_folder_without_init_is_a_package() -> None:
    module = run("import space.inner.leaf as leaf", **{"space.inner.leaf": "x = 1"})
    assert module.leaf.x == 1


def test_submodule_hides_nothing_set_by_the_parent() -> None:
    module = run("from lib import sub", **{"lib/": "sub = 'attribute'", "lib.sub": ""})
    assert module.sub == "attribute"


def test_modules_of_the_host_are_not_found_by_accident(source_folder: Path) -> None:
    (source_folder / "hostonly.py").write_text("where = 'host'")
    (source_folder / "shared.py").write_text("where = 'host'")
    importlib.import_module("hostonly")
    importlib.import_module("shared")
    importer = open_package(
        {
            "shared": "where = 'package'",
            "main": """
                import builtins
                import importlib
                import pkgutil
                from importlib import import_module

                names = ["shared"]
                found = [importlib.import_module(name) for name in names]
                found += [import_module(name) for name in names]
                found += [__import__(name) for name in names]
                found += [builtins.__import__(name) for name in names]
                found += [pkgutil.resolve_name(name) for name in names]
                found += [importlib.import_module("." + name, __package__) for name in names]
                space = {}
                exec("import shared", space)
                found += [space["shared"]]

                def get(name): return importlib.import_module(name)
                def spec(name): return importlib.util.find_spec(name)
            """,
        }
    )
    module = importer.import_module("main")
    assert {found.where for found in module.found} == {"package"}
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'hostonly' in the package"):
        module.get("hostonly")
    assert module.spec("hostonly") is None
    assert module.spec("shared").loader is importer
    assert sys.modules["shared"].where == "host"


def test_relative_dynamic_import() -> None:
    importer = open_package(
        {
            "lib/": "import importlib\nsub = importlib.import_module('.sub', __name__)\n"
            "again = importlib.import_module('lib.sub', __package__)",
            "lib.sub": "x = 1",
        }
    )
    lib = importer.import_module("lib")
    assert lib.sub.x == 1
    assert lib.again is lib.sub


def test_dunder_import_forms() -> None:
    module = run(
        """
        top = __import__("lib.sub")
        leaf = __import__("lib.sub", globals(), locals(), ["x"])
        parent = __import__("lib", fromlist=["sub"])
        """,
        **{"lib/": "", "lib.sub": "x = 1"},
    )
    assert module.top is module.parent
    assert module.leaf.x == 1
    assert module.parent.sub is module.leaf
    with pytest.raises(TypeError, match="str"):
        run("__import__(3)")
    with pytest.raises(ValueError, match="no module can be meant"):
        run("__import__('')")


def test_resources() -> None:
    importer = open_package(
        {
            "lib/": """
                from importlib import resources
                import importlib.resources as r
                by_name = resources.files("lib").joinpath("data", "a.txt").read_text()
                by_package = r.files(__package__).joinpath("b.bin").read_bytes()
                with resources.as_file(resources.files("lib") / "b.bin") as path:
                    as_file = path.read_bytes()
            """,
        }
    )
    file = importer.source
    file.seek(0, 2)
    importer.close()
    importer = PackageImporter(_with_data(file))
    lib = importer.import_module("lib")
    assert (lib.by_name, lib.by_package, lib.as_file) == ("text", b"\x00\x01", b"\x00\x01")
    files = importlib.resources.files(lib)
    assert sorted(item.name for item in files.iterdir()) == ["__init__.py", "b.bin", "data"]
    assert files.joinpath("data").is_dir()
    assert not files.joinpath("data").is_file()
    with pytest.raises(FileNotFoundError, match=r"lib/none\.txt"):
        files.joinpath("none.txt").read_bytes()
    with pytest.raises(ValueError, match="inside the package"):
        files.joinpath("../main.py")
    with pytest.raises(ValueError, match="read only"):
        files.joinpath("b.bin").open("w")


def _with_data(file: object) -> object:
    import io

    source = PackageImporter(file).get_source("lib")
    out = io.BytesIO()
    with PackageExporter(out) as exporter:
        exporter.save_source_string("lib", source, is_package=True)
        exporter.save_text("lib.data", "a.txt", "text")
        exporter.save_binary("lib", "b.bin", b"\x00\x01")
    return out


def test_pkgutil() -> None:
    importer = open_package(
        {
            "main": """
                import pkgutil
                import lib
                names = [info.name for info in pkgutil.iter_modules(lib.__path__)]
                walked = [info.name for info in pkgutil.walk_packages(lib.__path__, "lib.")]
                source = pkgutil.get_data("lib", "sub.py")
            """,
            "lib/": "",
            "lib.sub": "x = 1",
            "lib.deep/": "",
            "lib.deep.leaf": "",
        }
    )
    module = importer.import_module("main")
    assert module.names == ["deep", "sub"]
    assert module.walked == ["lib.deep", "lib.deep.leaf", "lib.sub"]
    assert module.source == b"x = 1"


def test_reload() -> None:
    importer = open_package({"main": "count = globals().get('count', 0) + 1"})
    module = importer.import_module("main")
    assert importlib.reload(module) is module
    assert module.count == 2


def test_failing_module_is_forgotten_and_may_be_tried_again() -> None:
    importer = open_package(
        {
            "main": """
                import state
                state.tries += 1
                if state.tries == 1: raise RuntimeError("first")
            """,
            "state": "tries = 0",
        }
    )
    with pytest.raises(RuntimeError, match="first"):
        importer.import_module("main")
    assert importer.import_module("main").state.tries == 2


def test_module_that_replaces_itself() -> None:
    module = run(
        "import other\nanswer = other.answer",
        other="import sys\nclass Lazy:\n    answer = 42\nsys.modules[__name__] = Lazy()",
    )
    assert module.answer == 42


def test_import_in_functions_and_later() -> None:
    importer = open_package(
        {"main": "def f():\n    from other import x\n    return x", "other": "x = 1"}
    )
    assert importer.import_module("main").f() == 1


def test_two_packages_do_not_mix() -> None:
    first = open_package({"main": "import lib\nwho = lib.who", "lib": "who = 1"})
    second = open_package({"main": "import lib\nwho = lib.who", "lib": "who = 2"})
    assert first.import_module("main").who == 1
    assert second.import_module("main").who == 2
    assert first.id() != second.id()


def test_threads_see_whole_modules() -> None:
    importer = open_package(
        {"main": "import slow\nx = slow.x", "slow": "import time\ntime.sleep(0.05)\nx = 1"}
    )
    seen: list[int] = []
    threads = [
        threading.Thread(target=lambda: seen.append(importer.import_module("main").x))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1, 1, 1, 1]


def test_host_modules_come_from_the_host() -> None:
    module = run("""
        import collections.abc
        import os.path
        import xml.etree.ElementTree as ET
        from concurrent import futures
        ordered = collections.OrderedDict
    """)
    import collections
    import os
    import xml.etree.ElementTree as ET

    assert module.ordered is collections.OrderedDict
    assert module.os is os
    assert module.ET is ET


def test_main_block_does_not_run() -> None:
    assert run("ran = False\nif __name__ == '__main__':\n    ran = True").ran is False


def test_source_encodings(tmp_path: Path) -> None:
    import io

    out = io.BytesIO()
    with PackageExporter(out) as exporter:
        exporter.save_binary("lib", "latin.py", b"# -*- coding: latin-1 -*-\r\nx = '\xe9'\r\n")
        exporter.save_binary("lib", "bom.py", b"\xef\xbb\xbfx = '\xc3\xa9'\r")
    importer = PackageImporter(out)
    for name in ("lib.latin", "lib.bom"):
        assert importer.import_module(name).x == "é"
        assert "x = 'é'" in importer.get_source(name).splitlines()


def test_missing_modules_are_named() -> None:
    importer = open_package({"main": "import json"})
    with pytest.raises(ModuleNotFoundError, match=r"external are .*json") as info:
        importer.import_module("absent")
    assert info.value.name == "absent"
    with pytest.raises(ModuleNotFoundError, match=r"main\.sub"):
        importer.import_module("main.sub")
    with pytest.raises(ValueError, match="empty"):
        importer.import_module("")


def test_errors_inside_a_submodule_are_not_hidden() -> None:
    with pytest.raises(ModuleNotFoundError, match="'absent'"):
        run(
            "from lib import sub",
            **{"lib/": "", "lib.sub": "try:\n    import absent\nexcept ImportError:\n    raise"},
        )


def test_module_allowed() -> None:
    file = export({"main": "import json, socket"})
    with pytest.raises(ImportError, match="'socket', which is not allowed"):
        PackageImporter(file, module_allowed=lambda name: name != "socket")


def test_code_may_ask_for_its_importer() -> None:
    importer = open_package({"main": "import torch_package_importer as importer"})
    assert importer.import_module("main").importer is importer


def test_missing_numpy_is_allowed_without_a_pattern() -> None:
    import numpy

    importer = open_package({"main": "def get():\n    import numpy\n    return numpy"})
    assert importer.import_module("main").get() is numpy


def test_abstract_classes_of_two_packages_are_different() -> None:
    code = "import abc\nclass Base(abc.ABC): pass\nclass Child(Base): pass"
    first, second = run(code), run(code)
    assert isinstance(first.Child(), first.Base)
    assert not isinstance(first.Child(), second.Base)


def test_close_forgets_all() -> None:
    importer = open_package({"main": "def late():\n    import other", "other": ""})
    module = importer.import_module("main")
    prefix = importer.id()
    with importer:
        pass
    assert not [name for name in sys.modules if name.startswith(prefix)]
    with pytest.raises(ImportError, match="has been closed"):
        module.late()


def test_folder_with_the_contents_of_a_package(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(export({"lib/": "from .sub import x", "lib.sub": "x = 1"})) as archive:
        archive.extractall(tmp_path)
    (root,) = tmp_path.iterdir()
    importer = PackageImporter(root)
    assert importer.import_module("lib").x == 1
    (root / "lib" / "link.py").symlink_to("/etc/hostname")
    with pytest.raises(ValueError, match="link"):
        PackageImporter(root).import_module("lib.link")
