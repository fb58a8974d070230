"""What can go wrong when packages are opened."""

from __future__ import annotations


class UntrustedPackageError(RuntimeError):
    """Contents differ from the package's list, or the signature asked for is missing or wrong."""


class PackageVersionWarning(UserWarning):
    """The host has other versions of what a package needs than the package was made with."""


class UnresolvedImportWarning(UserWarning):
    """Code in a package imports modules that were not there when the package was made."""
