"""Making packages: what is found, what is refused, and what the messages say."""

from __future__ import annotations

import importlib
import io
import pickle
import re
import sys
from pathlib import Path

import pytest

from rushlight.package import (
    Importer,
    ObjMismatchError,
    ObjNotFoundError,
    OrderedImporter,
    PackageExporter,
    PackageImporter,
    PackagingError,
    UnresolvedImportWarning,
    sys_importer,
)

from .packages import HOST, export, open_package, save_sources


def write_tree(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    importlib.invalidate_caches()


def test_interns_what_is_imported_and_its_parents(source_folder: Path) -> None:
    write_tree(
        source_folder,
        {
            "app/__init__.py": "import app.base",
            "app/base.py": "NAME = 'base'",
            "app/net.py": "from . import layers\nimport json",
            "app/layers/__init__.py": "",
            "app/layers/dense.py": "raise RuntimeError('looking must not run this')",
            "app/unused.py": "",
        },
    )
    exporter = PackageExporter(file := io.BytesIO())
    exporter.intern("app.**")
    exporter.save_module("app.net")
    assert exporter.interned_modules() == ["app", "app.base", "app.layers", "app.net"]
    assert exporter.externed_modules() == ["json"]
    assert "app" not in sys.modules
    assert exporter.get_rdeps("app.layers") == ["app.net"]
    assert '"app.net" -> "app.layers"' in exporter.dependency_graph_string()
    assert '"app.net" -> "json"' in exporter.all_paths("app.net", "json")
    exporter.close()
    assert PackageImporter(file).import_module("app.net").layers is not None


def test_without_parents_as_pytorch_does(source_folder: Path) -> None:
    write_tree(source_folder, {"app/__init__.py": "", "app/net.py": ""})
    exporter = PackageExporter(io.BytesIO(), parents=False)
    exporter.intern("app.**")
    exporter.save_module("app.net")
    assert exporter.interned_modules() == ["app.net"]


def test_namespace_packages_and_data_files(source_folder: Path) -> None:
    write_tree(
        source_folder,
        {
            "space/part/__init__.py": "from importlib import resources\n"
            "text = resources.files(__name__).joinpath('data/words.txt').read_text()",
            "space/part/data/words.txt": "words",
            "space/part/.hidden": "",
            "space/part/sub/__init__.py": "",
            "space/part/sub/other.txt": "",
            "main.py": "import space.part",
        },
    )
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.intern("**")
        exporter.save_module("main")
    assert "space" in exporter.interned_modules()
    importer = PackageImporter(file)
    assert importer.import_module("main").space.part.text == "words"
    files = importer.file_structure()
    assert files.has_file("space/part/data/words.txt")
    assert not files.has_file("space/part/.hidden")
    assert not files.has_file("space/part/sub")
    with PackageExporter(file := io.BytesIO(), data_files=False) as exporter:
        exporter.intern("**")
        exporter.save_module("main")
    assert not PackageImporter(file).file_structure().has_file("space/part/data")


def test_star_import_takes_submodules_of_all(source_folder: Path) -> None:
    write_tree(
        source_folder,
        {
            "app/__init__.py": "__all__ = ['one', 'x']\nx = 1",
            "app/one.py": "",
            "app/two.py": "",
            "main.py": "from app import *",
        },
    )
    exporter = PackageExporter(io.BytesIO())
    exporter.intern("**")
    exporter.save_module("main")
    assert exporter.interned_modules() == ["app", "app.one", "main"]


def test_error_lists_all_with_place_and_pattern(source_folder: Path) -> None:
    write_tree(source_folder, {"helper.py": "", "main.py": "import sys\n\n\nimport helper"})
    exporter = PackageExporter(io.BytesIO(), debug=True)
    exporter.deny("numpy.**")
    exporter.save_module("main")
    exporter.save_source_string("other", "import numpy, hypothesis\nimport absent_module")
    with pytest.raises(PackagingError) as info:
        exporter.close()
    text = str(info.value)
    assert f"{source_folder / 'main.py'}, line 4: import helper" in text
    assert 'write: exporter.intern("helper.**")' in text
    assert 'write: exporter.extern("hypothesis.**")' in text
    assert 'write: exporter.extern("sys")' in text
    assert "<other>, line 2: import absent_module" in text
    assert 'exporter.mock("absent_module.**")' in text
    assert re.search(r"deny pattern matches these modules:\s+numpy\s", text)
    assert "reached by main -> helper" in text
    assert exporter.denied_modules() == ["numpy"]
    assert "these modules" in str(pickle.loads(pickle.dumps(info.value)))


def test_source_that_is_no_python() -> None:
    exporter = PackageExporter(io.BytesIO())
    exporter.save_source_string("broken", "x = 1\nimport (")
    exporter.save_source_string("beyond", "from .. import x")
    with pytest.raises(PackagingError, match=r"(?s)broken.*SyntaxError.*beyond.*relative import"):
        exporter.close()


def test_compiled_code_cannot_be_interned() -> None:
    exporter = PackageExporter(io.BytesIO())
    exporter.intern("rushlight_like.**")
    exporter.save_module("rushlight._C")
    exporter.save_module("_imp")
    with pytest.raises(PackagingError, match=r"(?s)compiled code.*rushlight\._C.*no source file"):
        exporter.close()


def test_extern_parent_of_a_mocked_child(source_folder: Path) -> None:
    write_tree(source_folder, {"app/__init__.py": "", "app/sub.py": ""})
    exporter = PackageExporter(io.BytesIO())
    exporter.extern("app")
    exporter.mock("app.*")
    exporter.save_source_string("main", "import app\nimport app.sub")
    with pytest.raises(PackagingError, match=r"(?s)app\.sub\s+app is external"):
        exporter.close()


def test_missing_modules_that_code_copes_without_are_listed() -> None:
    source = (
        "try:\n    import absent_a\nexcept ImportError:\n    absent_a = None\n"
        "def f():\n    import absent_b\n"
    )
    exporter = PackageExporter(io.BytesIO())
    exporter.save_source_string("main", source)
    assert [(i.module, i.line, i.guarded) for i in exporter.unresolved_imports()] == [
        ("absent_a", 2, True),
        ("absent_b", 6, False),
    ]
    with pytest.warns(UnresolvedImportWarning, match="<main>, line 6: import absent_b") as seen:
        exporter.close()
    assert "absent_a" not in str(seen[0].message)


def test_module_that_is_provided_later_is_not_missing() -> None:
    with PackageExporter(io.BytesIO()) as exporter:
        exporter.save_source_string("main", "import made.up\nfrom made import up")
        exporter.save_source_string("made.up", "")
    assert exporter.unresolved_imports() == []


def test_patterns_settle_modules_that_are_not_installed() -> None:
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.mock("absent_a.**")
        exporter.extern("absent_b.**")
        exporter.save_source_string("main", "import absent_a.sub\ndef f(): import absent_b")
    assert exporter.mocked_modules() == ["absent_a.sub"]
    assert exporter.externed_modules() == ["absent_b"]
    assert PackageImporter(file).import_module("main").absent_a.sub.anything is not None


def test_mocks_fail_when_used(source_folder: Path) -> None:
    write_tree(source_folder, {"app/__init__.py": "", "app/train.py": "def fit(): return 1"})
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.mock("app.**")
        save_sources(exporter, {
            "main": """
                from app.train import fit, Base
                import app.train
                def use(): return fit(1)
                def derive():
                    class A(Base): pass
                def add(): return fit + 1
                def attribute(): return fit.x
                def has(): return hasattr(app.train, "__wrapped__")
            """
        })  # fmt: skip
    module = PackageImporter(file).import_module("main")
    for name in ("use", "derive", "add", "attribute"):
        with pytest.raises(NotImplementedError, match=r"app\.train"):
            getattr(module, name)()
    assert not module.has()
    assert repr(module.fit) == "MockedObject(" + module.app.train.__name__ + ".fit)"


def test_pickle_of_a_mocked_class_is_an_error(source_folder: Path) -> None:
    write_tree(source_folder, {"app.py": "class A: pass"})
    obj = importlib.import_module("app").A()
    exporter = PackageExporter(io.BytesIO())
    exporter.mock("app")
    exporter.save_pickle("data", "a.pkl", obj)
    with pytest.raises(PackagingError, match=r"(?s)pickled objects need them.*app.A"):
        exporter.close()


@pytest.mark.parametrize("protocol", [3, 4])
def test_pickles_bring_their_code(source_folder: Path, protocol: int) -> None:
    write_tree(
        source_folder,
        {
            "app/__init__.py": "",
            "app/net.py": "from .layer import Layer\n"
            "class Net:\n    def __init__(self): self.layer = Layer()\n"
            "    class Config: pass\n",
            "app/layer.py": "class Layer: pass\ndef double(x): return 2 * x",
        },
    )
    module = importlib.import_module("app.net")
    layer = importlib.import_module("app.layer")
    net = module.Net()
    obj = {"net": net, "again": net, "config": module.Net.Config(), "function": layer.double}
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.intern("app.**")
        exporter.save_pickle("data", "net.pkl", obj, pickle_protocol=protocol)
    importer = PackageImporter(file)
    loaded = importer.load_pickle("data", "net.pkl")
    assert loaded["net"] is loaded["again"]
    assert type(loaded["net"]) is importer.import_module("app.net").Net
    assert type(loaded["net"]) is not module.Net
    assert type(loaded["config"]).__qualname__ == "Net.Config"
    assert loaded["function"](4) == 8
    with pytest.raises(ValueError, match="3 or 4"):
        PackageExporter(io.BytesIO()).save_pickle("a", "b", 1, pickle_protocol=2)


def test_object_of_a_package_needs_its_importer_to_be_named() -> None:
    importer = open_package({"lib": "class A:\n    x = 1"})
    obj = importer.import_module("lib").A()
    exporter = PackageExporter(io.BytesIO())
    with pytest.raises(pickle.PicklingError, match=r"importer=\[the_importer, sys_importer\]"):
        exporter.save_pickle("data", "a.pkl", obj)
    with PackageExporter(file := io.BytesIO(), importer=[importer, sys_importer]) as exporter:
        exporter.intern("lib")
        exporter.save_pickle("data", "a.pkl", obj)
    again = PackageImporter(file)
    assert again.load_pickle("data", "a.pkl").x == 1
    assert again.id() != importer.id()


def test_repackaging_mocks_and_their_module() -> None:
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.mock("absent.**")
        exporter.save_source_string("main", "from absent import x\nclass A: pass")
    first = PackageImporter(file)
    obj = first.import_module("main").A()
    with PackageExporter(file := io.BytesIO(), importer=[first, sys_importer]) as exporter:
        exporter.intern("**")
        exporter.save_pickle("data", "a.pkl", obj)
    loaded = PackageImporter(file)
    assert type(loaded.load_pickle("data", "a.pkl")).__name__ == "A"
    assert "absent.x" in repr(loaded.import_module("main").x)


def test_importers() -> None:
    importer = open_package({"lib": "class A: pass", "bare.leaf": "y = 2"})
    a = importer.import_module("lib").A
    assert importer.get_name(a) == ("lib", "A")
    with pytest.raises(ObjNotFoundError, match="give its PackageImporter"):
        sys_importer.get_name(a)
    both = OrderedImporter(importer, sys_importer)
    assert both.import_module("lib") is importer.import_module("lib")
    assert both.get_name(a) == ("lib", "A")
    assert both.get_name(io.BytesIO) == ("_io", "BytesIO")
    twin = open_package({"lib": "class A: pass"})
    with pytest.raises(ObjMismatchError, match="needs to stand before"):
        twin.get_name(a)
    with pytest.raises(ModuleNotFoundError):
        both.import_module("absent")
    with pytest.raises(ObjNotFoundError):
        both.get_name(twin.import_module("lib").A)
    with pytest.raises(TypeError, match="importers"):
        OrderedImporter(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="sequence"):
        PackageExporter(io.BytesIO(), importer=3)  # type: ignore[arg-type]

    class Fixed(Importer):
        def import_module(self, module_name: str) -> object:  # type: ignore[override]
            raise ModuleNotFoundError(module_name)

        def whichmodule(self, obj: object, name: str) -> str:
            return "fixed"

    assert OrderedImporter(Fixed(), sys_importer).whichmodule(object(), "x") == "fixed"
    assert not Fixed().has_module("x")


def test_bare_folder_of_one_importer_does_not_hide_anothers_package(source_folder: Path) -> None:
    write_tree(source_folder, {"bare/__init__.py": "x = 1", "bare/leaf.py": ""})
    importer = open_package({"bare.leaf": "y = 2"})
    assert OrderedImporter(importer, sys_importer).import_module("bare").x == 1


def test_source_files(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {"lib/__init__.py": "from .a import x", "lib/a.py": "from lib.deep.b import x",
         "lib/deep/b.py": "x = 5", "single.py": "import lib"},
    )  # fmt: skip
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.save_source_file("lib", str(tmp_path / "lib"))
        exporter.save_source_file("single", str(tmp_path / "single.py"))
    assert PackageImporter(file).import_module("single").lib.x == 5


def test_text_binary_and_names() -> None:
    with PackageExporter(file := io.BytesIO()) as exporter:
        exporter.save_text("data", "a.txt", "é")
        exporter.save_binary("data.deep", "b.bin", b"\xff")
        with pytest.raises(ValueError, match="already"):
            exporter.save_text("data", "a.txt", "again")
        for name in ("x/y", "", "..", "../x"):
            with pytest.raises(ValueError, match="without folders"):
                exporter.save_text("data", name, "")
        assert exporter.get_unique_id() != exporter.get_unique_id()
    importer = PackageImporter(file)
    assert importer.load_text("data", "a.txt") == "é"
    assert importer.load_text("data", "a.txt", "latin-1") == "Ã©"
    assert importer.load_binary("data.deep", "b.bin") == b"\xff"
    with pytest.raises(RuntimeError, match=r"none\.txt"):
        importer.load_text("data", "none.txt")
    with pytest.raises(ModuleNotFoundError, match="no package 'nowhere'"):
        importer.load_text("nowhere", "a.txt")
    plain = open_package({"main": ""})
    with pytest.raises(TypeError, match="a module, not a package"):
        plain.load_text("main", "a.txt")


def test_hooks(source_folder: Path) -> None:
    write_tree(source_folder, {"a.py": "", "b.py": "", "c.py": ""})
    seen = []
    with PackageExporter(io.BytesIO()) as exporter:
        exporter.intern("a")
        exporter.mock("b")
        exporter.extern("c")
        exporter.register_intern_hook(lambda e, name: seen.append(("intern", name)))
        exporter.register_mock_hook(lambda e, name: seen.append(("mock", name)))
        exporter.register_extern_hook(lambda e, name: seen.append(("extern", name)))
        removed = exporter.register_extern_hook(lambda e, name: seen.append(("never", name)))
        removed.remove()
        exporter.save_source_string("main", "import a, b, c")
    assert seen == [("intern", "main"), ("intern", "a"), ("mock", "b"), ("extern", "c")]


def test_file_is_whole_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "a.pkg"
    with pytest.raises(KeyError), PackageExporter(path) as exporter:
        exporter.save_text("data", "a.txt", "x")
        raise KeyError
    with pytest.raises(PackagingError), PackageExporter(path) as exporter:
        exporter.save_source_string("main", "import numpy")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RuntimeError, match="closed"):
        exporter.close()


def test_same_contents_give_the_same_bytes() -> None:
    files = {"main": "import json, lib", "lib": "x = 1"}
    assert export(files).getvalue() == export(files).getvalue()


def test_reduce_package() -> None:
    importer = open_package(
        {
            "lib": """
                class Generated:
                    def __init__(self, source): self.source = source
                    def __reduce_package__(self, exporter):
                        name = f"generated_{exporter.get_unique_id()}"
                        exporter.save_source_string(name, self.source)
                        return load, (name,)
                def load(importer, name): return importer.import_module(name)
            """
        }
    )
    obj = importer.import_module("lib").Generated("value = 9")
    with PackageExporter(file := io.BytesIO(), importer=[importer, sys_importer]) as exporter:
        exporter.intern("lib")
        exporter.extern(HOST)
        exporter.save_pickle("data", "a.pkl", [obj, obj])
    first, second = PackageImporter(file).load_pickle("data", "a.pkl")
    assert first is second
    assert first.value == 9


def test_long_chain_of_imports() -> None:
    files = {f"m{i}": f"import m{i + 1}" for i in range(600)}
    with PackageExporter(io.BytesIO()) as exporter:
        save_sources(exporter, {**files, "m600": ""})
    assert len(exporter.interned_modules()) == 601
