"""Ed25519 signatures of packages."""

from __future__ import annotations

import io

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rushlight.package import PackageExporter, PackageImporter, UntrustedPackageError

from .test_trust import RAN, changed

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
RAW = serialization.Encoding.Raw, serialization.PublicFormat.Raw
PEM = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo


def signed(key: object = KEY) -> io.BytesIO:
    with PackageExporter(file := io.BytesIO(), sign_with=key) as exporter:
        exporter.save_source_string("main", "x = 1")
    return file


@pytest.mark.parametrize(
    "key",
    [KEY.public_key(), KEY.public_key().public_bytes(*RAW), KEY.public_key().public_bytes(*PEM)],
    ids=["object", "raw", "pem"],
)
def test_right_key(key: object) -> None:
    assert PackageImporter(signed(), public_key=key).import_module("main").x == 1


def test_private_keys_of_all_forms_sign_alike() -> None:
    pem = KEY.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    assert signed().getvalue() == signed(pem).getvalue() == signed(bytes(range(32))).getvalue()


def test_wrong_keys_and_changed_contents() -> None:
    other = Ed25519PrivateKey.generate()
    with pytest.raises(UntrustedPackageError, match="another key"):
        PackageImporter(signed(other), public_key=KEY.public_key())
    with pytest.raises(UntrustedPackageError, match="has been changed"):
        PackageImporter(changed(signed(), main_dot_py=RAN.encode()), public_key=KEY.public_key())
    list_of_another = changed(signed(), _dot_data__sha256=b"")
    with pytest.raises(UntrustedPackageError, match="or was changed"):
        PackageImporter(list_of_another, public_key=KEY.public_key())
    with pytest.raises(TypeError, match="private key"):
        signed(KEY.public_key())
    with pytest.raises(TypeError, match="public key"):
        PackageImporter(signed(), public_key=KEY)
