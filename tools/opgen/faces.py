"""Python names of the operators: which functions and methods of PyTorch the op table provides.

An operator is a function of ``torch``, a method of ``torch.Tensor`` or a function of a submodule
when PyTorch has a public name for it there; torch_names.json lists those. Functions whose Python
signature is not the schema's are written by hand in src/rushlight/ and take precedence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .table import Row

# Prefix of the ATen name -> submodule.
PREFIXES = {"linalg_": "linalg", "fft_": "fft", "special_": "special"}

# Functions of torch.nn.functional that are an operator under the same or another name, with the
# schema's signature.
FUNCTIONAL = {
    **{
        name: name
        for name in [
            "avg_pool1d",
            "avg_pool2d",
            "avg_pool3d",
            "bilinear",
            "celu",
            "celu_",
            "channel_shuffle",
            "conv1d",
            "conv2d",
            "conv3d",
            "conv_transpose1d",
            "conv_transpose2d",
            "conv_transpose3d",
            "cosine_similarity",
            "gelu",
            "hardshrink",
            "linear",
            "native_channel_shuffle",
            "one_hot",
            "pairwise_distance",
            "pdist",
            "pixel_shuffle",
            "pixel_unshuffle",
            "prelu",
            "relu_",
            "selu_",
            "scaled_dot_product_attention",
            "softplus",
            "softshrink",
        ]
    },
    "logsigmoid": "log_sigmoid",
}

# Names under which PyTorch offers an operator of another name.
ALIASES = {
    "special": {
        "exp2": "exp2",
        "expm1": "expm1",
        "log1p": "log1p",
        "logit": "logit",
        "logsumexp": "logsumexp",
        "psi": "digamma",
        "round": "round",
        "sinc": "sinc",
        "xlogy": "xlogy",
        "i0": "i0",
        "polygamma": "polygamma",
        "multigammaln": "mvlgamma",
        "gammainc": "igamma",
        "gammaincc": "igammac",
    },
    "linalg": {"matmul": "matmul"},
}


@dataclass(frozen=True)
class FaceName:
    place: str  # "Tensor" or the module
    name: str
    op: str  # without overload: "aten.add"


def public_names() -> dict[str, list[str]]:
    """PyTorch's names by module."""
    text = (Path(__file__).parent / "torch_names.json").read_text(encoding="utf-8")
    names: dict[str, list[str]] = json.loads(text)["names"]
    return names


def faces(rows: list[Row]) -> list[FaceName]:
    """Sorted by place and name."""
    public = {place: set(names) for place, names in public_names().items()}
    found: set[FaceName] = set()
    known = {row.schema.name for row in rows if row.schema.namespace == "aten"}
    for row in rows:
        schema = row.schema
        name = schema.name
        if schema.namespace != "aten" or name.startswith("_"):
            continue
        op = f"aten.{name}"
        if name in public["torch"]:
            found.add(FaceName("torch", name, op))
        first = schema.arguments[0] if schema.arguments else None
        takes_self = first and first.name == "self" and first.type.base == "Tensor"
        if takes_self and name in public["torch.Tensor"]:
            found.add(FaceName("Tensor", name, op))
        for prefix, module in PREFIXES.items():
            short = name.removeprefix(prefix)
            if short != name and short in public[f"torch.{module}"]:
                found.add(FaceName(module, short, op))
    for name, target in FUNCTIONAL.items():
        if target in known:
            found.add(FaceName("nn.functional", name, f"aten.{target}"))
    taken = {(f.place, f.name) for f in found}
    for module, names in ALIASES.items():
        for name, target in names.items():
            if target in known and (module, name) not in taken:
                found.add(FaceName(module, name, f"aten.{target}"))
    return sorted(found, key=lambda f: (f.place, f.name))


def cpp(rows: list[Row]) -> str:
    """The table as C++."""
    lines = [f'    {{"{f.place}", "{f.name}", "{f.op}"}},' for f in faces(rows)]
    return (
        '#include "bindings/faces.h"\n\nnamespace rushlight::python {\nnamespace {\n\n'
        "constexpr FaceRow kFaces[] = {\n" + "\n".join(lines) + "\n};\n\n}  // namespace\n\n"
        "std::span<const FaceRow> face_rows() { return kFaces; }\n\n"
        "}  // namespace rushlight::python\n"
    )
