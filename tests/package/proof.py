"""Real libraries, interned whole, work in a clean interpreter that does not have them.

    pip install networkx sympy
    python -m tests.package.proof [OTHER_PYTHON]

Objects of both are pickled into the packages and used. With OTHER_PYTHON, an interpreter of another
version that has rushlight, a model class with weights also makes the way there and back.
"""

from __future__ import annotations

import importlib
import json
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from rushlight.package import PackageExporter, PackageImporter, UnresolvedImportWarning

# Runs with `-I`. The libraries are blocked, so that only the package can provide them.
CHILD = """
import json, sys, time, warnings
sys.path.append(sys.argv[1])
blocked = set(sys.argv[3].split(","))

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Block())
from rushlight.package import PackageImporter
start = time.perf_counter()
importer = PackageImporter(sys.argv[2])
library = importer.import_module(sys.argv[3].split(",")[0])
obj = importer.load_pickle("proof", "object.pkl")
seconds = time.perf_counter() - start
print(json.dumps({"results": eval(sys.argv[4]), "modules": len(importer.modules),
                  "seconds": seconds, "host": sorted(blocked & set(sys.modules))}))
"""

PROOFS: dict[str, tuple[list[str], str, str, Any]] = {
    # library: what else goes in, the object, what is computed inside, and the result
    "networkx": (
        [],
        "library.petersen_graph()",
        "[library.shortest_path_length(obj, 0, 7), library.is_connected(obj), "
        "library.diameter(obj), sorted(library.degree_centrality(obj))[:3], "
        "len(list(library.find_cliques(library.karate_club_graph()))), type(obj).__name__]",
        [2, True, 2, [0, 1, 2], 36, "Graph"],
    ),
    "sympy": (
        ["mpmath"],
        "library.integrate(library.Symbol('x') * library.exp(-library.Symbol('x')))",
        "[str(obj.doit()), str(library.diff(obj, library.Symbol('x')).simplify()), "
        "str(library.solve(library.Symbol('y')**2 - 2)), str(library.N(library.pi, 20)), "
        "str(library.Matrix([[1, 2], [3, 4]]).det())]",
        ["(-x - 1)*exp(-x)", "x*exp(-x)", "[-sqrt(2), sqrt(2)]", "3.1415926535897932385", "-2"],
    ),
}

MODEL = """
import dataclasses
import numpy as np

@dataclasses.dataclass
class Model:
    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, x):
        return (x @ self.weight + self.bias).tolist()
"""

ROUND_TRIP = """
import sys
from rushlight.package import PackageExporter, PackageImporter, sys_importer
importer = PackageImporter(sys.argv[1], check_versions=False)
model = importer.load_pickle("weights", "model.pkl")
import numpy as np
print(model(np.ones(3)))
with PackageExporter(sys.argv[2], importer=[importer, sys_importer]) as exporter:
    exporter.intern("model_of_proof")
    exporter.extern("numpy.**")
    model.bias += 1
    exporter.save_pickle("weights", "model.pkl", model)
"""


def prove(library: str, folder: Path) -> None:
    """Makes a package of a whole library and uses it where the library is not."""
    others, make, compute, expected = PROOFS[library]
    module = importlib.import_module(library)
    path = folder / f"{library}.pkg"
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnresolvedImportWarning)
        with PackageExporter(path) as exporter:
            for name in (library, *others):
                exporter.intern(f"{name}.**")
            exporter.extern("pyglet.**")  # of SymPy's old plots, which nothing here draws
            exporter.decide_by_origin()
            exporter.save_module(library)
            exporter.save_pickle("proof", "object.pkl", eval(make, {"library": module}))
    seconds = time.perf_counter() - start
    root = str(Path(importlib.import_module("rushlight").__file__).parents[1])
    names = ",".join([library, *others])
    result = subprocess.run(
        [sys.executable, "-I", "-c", CHILD, root, str(path), names, compute],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise SystemExit(f"{library}:\n{result.stderr}")
    report = json.loads(result.stdout)
    if report["results"] != expected or report["host"]:
        raise SystemExit(f"{library}: expected {expected}, got {report}")
    print(
        f"{library} {module.__version__}: {len(exporter.interned_modules())} modules, "
        f"{path.stat().st_size / 1e6:.1f} MB, made in {seconds:.1f} s, loaded in "
        f"{report['seconds']:.1f} s, results as expected"
    )


def prove_versions(other: str, folder: Path) -> None:
    """A model class with weights goes to another version of Python and comes back."""
    import numpy as np

    (folder / "model_of_proof.py").write_text(MODEL)
    sys.path.insert(0, str(folder))
    model = importlib.import_module("model_of_proof").Model(np.eye(3)[:, :2], np.zeros(2))
    there, back = folder / "there.pkg", folder / "back.pkg"
    with PackageExporter(there) as exporter:
        exporter.intern("model_of_proof")
        exporter.extern("numpy.**")
        exporter.save_pickle("weights", "model.pkl", model)
    seen = subprocess.run(
        [other, "-I", "-c", ROUND_TRIP, str(there), str(back)],
        capture_output=True,
        text=True,
        check=True,
    )
    returned = PackageImporter(back, check_versions=False)
    loaded = returned.load_pickle("weights", "model.pkl")
    if seen.stdout != "[1.0, 1.0]\n" or loaded(np.ones(3)) != [2.0, 2.0]:
        raise SystemExit(f"{other}: got {seen.stdout!r} there, {loaded(np.ones(3))} back")
    print(
        f"a model made in Python {platform.python_version()} worked in "
        f"{returned.python_version()} and came back"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        for library in PROOFS:
            prove(library, Path(name))
        for other in sys.argv[1:]:
            prove_versions(other, Path(name))


if __name__ == "__main__":
    main()
