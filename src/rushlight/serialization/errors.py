"""How refusals are worded."""

from __future__ import annotations

from pickle import UnpicklingError

__all__ = ["UnpicklingError", "refused"]

_NEEDS_PYTORCH = ("torch.", "torchvision.", "torchaudio.", "fairseq.", "transformers.", "timm.")


def refused(full_name: str) -> UnpicklingError:
    """The error for a function or class that is not allowed."""
    if full_name.startswith(_NEEDS_PYTORCH):
        why = f"the file holds an object of '{full_name}', which needs its own library"
    else:
        why = f"the file asks for '{full_name}', which is not among the names that files may use"
    return UnpicklingError(
        f"{why}. Files are not trusted to run code. rushlight.load(..., stand_ins=True) loads such "
        "objects as stand-ins that can be looked at; rushlight.serialization.add_safe_globals"
        f"([{full_name.rpartition('.')[2]}]) allows a function or class that you have and trust"
    )


def require(condition: bool, message: str) -> None:
    """UnpicklingError unless the condition holds."""
    if not condition:
        raise UnpicklingError(message)


__all__ += ["require"]
