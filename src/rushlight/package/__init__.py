"""Packages: Python code, objects and data in one file that runs on another machine.

The names and the file format are ``torch.package``'s. **Loading a package runs its code**: open
only packages you trust.
"""

from .analyze.is_from_package import is_from_package
from .collector import UnresolvedImport
from .errors import PackageVersionWarning, UnresolvedImportWarning, UntrustedPackageError
from .file_structure_representation import Directory
from .glob_group import GlobGroup
from .importer import (
    Importer,
    ObjMismatchError,
    ObjNotFoundError,
    OrderedImporter,
    sys_importer,
)
from .package_exporter import EmptyMatchError, PackageExporter, PackagingError
from .package_importer import PackageImporter
from .packaging_error import PackagingErrorReason
from .patterns import PatternConflictError

__all__ = [
    "Directory",
    "EmptyMatchError",
    "GlobGroup",
    "Importer",
    "ObjMismatchError",
    "ObjNotFoundError",
    "OrderedImporter",
    "PackageExporter",
    "PackageImporter",
    "PackageVersionWarning",
    "PackagingError",
    "PackagingErrorReason",
    "PatternConflictError",
    "UnresolvedImport",
    "UnresolvedImportWarning",
    "UntrustedPackageError",
    "is_from_package",
    "sys_importer",
]
