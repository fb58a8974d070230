"""Whether the contents of a package are what its maker wrote.

``.data/sha256`` lists the SHA-256 sum of every other record, as ``sha256sum`` prints them;
``.data/ed25519`` is a signature of that list (RFC 8032). The records that the container format
itself adds last are left out: they say nothing about the contents.
"""

from __future__ import annotations

import hashlib
from typing import Any

from .containers import RecordReader
from .errors import UntrustedPackageError

SUMS = ".data/sha256"
SIGNATURE = ".data/ed25519"

#: What the container adds when it is closed.
_OF_CONTAINER = frozenset(
    {".data/version", ".data/serialization_id", "byteorder", ".format_version",
     ".storage_alignment", "version", ".data/format_version", ".data/storage_alignment"}
)  # fmt: skip

_ADVICE = "Loading a package runs its code: open only packages you trust"


def is_listed(name: str) -> bool:
    """Whether a record belongs in the list."""
    return name not in _OF_CONTAINER and name not in (SUMS, SIGNATURE)


def digest(data: Any) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def format_sums(sums: dict[str, str]) -> str:
    """The list as text: one ``digest  name`` per line, sorted by name."""
    return "".join(f"{value}  {name}\n" for name, value in sorted(sums.items()))


def sign(text: str, private_key: Any) -> bytes:
    """The Ed25519 signature of a list.

    Args:
        text: what `format_sums` gave.
        private_key: a key of ``cryptography``, its 32 bytes, or PEM text without a password.
    """
    signature: bytes = _private_key(private_key).sign(text.encode())
    return signature


def verify_contents(reader: RecordReader, filename: str, public_key: Any = None) -> bool:
    """Compares contents with the list, and the list with its signature.

    Args:
        reader: the package's records.
        filename: what errors call the package.
        public_key: the key that the signature must match; None asks for no signature.

    Returns:
        Whether there was a list.

    Raises:
        UntrustedPackageError: something differs, or a signature is asked for and missing.
    """

    def untrusted(problem: str) -> UntrustedPackageError:
        return UntrustedPackageError(f"{filename!r} {problem}. {_ADVICE}")

    names = set(reader.get_all_records())
    if SUMS not in names:
        if public_key is not None or SIGNATURE in names:
            raise untrusted("has no list of checksums, so it cannot be signed")
        return False
    text = bytes(reader.get_record(SUMS))
    if public_key is not None:
        if SIGNATURE not in names:
            raise untrusted("is not signed")
        _check_signature(public_key, bytes(reader.get_record(SIGNATURE)), text, untrusted)
    sums = {}
    for line in text.decode("utf-8").splitlines():
        value, gap, name = line.partition("  ")
        if not gap or name in sums:
            raise untrusted(f"has a list of checksums with the line {line!r}")
        sums[name] = value
    present = {name for name in names if is_listed(name)}
    if present != sums.keys():
        extra, lost = sorted(present - sums.keys()), sorted(sums.keys() - present)
        raise untrusted(f"does not hold what its list says: added {extra}, missing {lost}")
    changed = [name for name, value in sums.items() if digest(reader.get_record(name)) != value]
    if changed:
        raise untrusted(f"has been changed since it was made: {', '.join(sorted(changed))}")
    return True


def _check_signature(public_key: Any, signature: bytes, text: bytes, untrusted: Any) -> None:
    from cryptography.exceptions import InvalidSignature

    try:
        _public_key(public_key).verify(signature, text)
    except InvalidSignature:
        raise untrusted("is signed with another key than asked for, or was changed") from None


def _private_key(key: Any) -> Any:
    _require_cryptography()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    if isinstance(key, (str, bytes)) and _is_pem(key):
        key = serialization.load_pem_private_key(_as_bytes(key), password=None)
    elif isinstance(key, bytes):
        key = ed25519.Ed25519PrivateKey.from_private_bytes(key)
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise TypeError(f"an Ed25519 private key is needed, got {type(key).__name__}")
    return key


def _public_key(key: Any) -> Any:
    _require_cryptography()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    if isinstance(key, (str, bytes)) and _is_pem(key):
        key = serialization.load_pem_public_key(_as_bytes(key))
    elif isinstance(key, bytes):
        key = ed25519.Ed25519PublicKey.from_public_bytes(key)
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise TypeError(f"an Ed25519 public key is needed, got {type(key).__name__}")
    return key


def _is_pem(key: str | bytes) -> bool:
    return _as_bytes(key).lstrip().startswith(b"-----BEGIN")


def _as_bytes(key: str | bytes) -> bytes:
    return key.encode() if isinstance(key, str) else key


def _require_cryptography() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise ModuleNotFoundError(
            "signatures need the package cryptography (pip install cryptography)",
            name="cryptography",
        ) from None
