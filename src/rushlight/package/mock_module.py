# mypy: allow-untyped-defs, allow-untyped-calls
"""Written by rushlight into packages with mocked modules: what stands in for their contents.

Nothing here needs rushlight. A mocked name may be imported, passed on and named in annotations;
using it in any other way is a NotImplementedError that says which name it was.
"""


class MockedObject:
    """Stands in for an object of a mocked module."""

    _name: str

    def __new__(cls, *args, **kwargs):
        if not kwargs.pop("_suppress_err", False):
            # Unpickling, or a class statement with a mocked base, which passes the base's name.
            name = args[0] if args and isinstance(args[0], str) else cls.__name__
            raise NotImplementedError(f"'{name}' needs an object that is mocked in this package")
        return super().__new__(cls)

    def __init__(self, name, _suppress_err=False):
        self.__dict__["_name"] = name

    def __repr__(self):
        return f"MockedObject({self._name})"

    def __mro_entries__(self, bases):
        raise NotImplementedError(f"'{self._name}' is mocked in this package, and is a base class")


def _refuse(method):
    def refusing(self, *args, **kwargs):
        name = self.__dict__.get("_name", "an object")
        raise NotImplementedError(f"'{name}' is mocked in this package, and is used by {method}")

    refusing.__name__ = method
    setattr(MockedObject, method, refusing)


_BINARY = """
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor
"""
_OTHERS = """
    getattr setattr delattr getitem setitem delitem contains len iter next reversed
    call enter exit aenter aexit aiter anext await get index bool bytes format hash
    int float complex round trunc floor ceil neg pos abs invert eq ne lt le gt ge
    copy deepcopy reduce reduce_ex getstate setstate instancecheck subclasscheck
"""

for _name in _BINARY.split():
    for _prefix in ("", "r", "i"):
        _refuse(f"__{_prefix}{_name}__")
for _name in _OTHERS.split():
    _refuse(f"__{_name}__")
