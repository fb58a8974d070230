"""Hostile pickles, by kind: what they call, what they do to the stack machine, the arguments they
give, the tensors they claim."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from typing import Any


def zipped(pickled: bytes, **records: bytes) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        archive.writestr("archive/version", "3\n")
        for name, contents in records.items():
            archive.writestr(f"archive/data/{name}", contents)
    return io.BytesIO(stream.getvalue())


def reduce(module: str, name: str, *args: Any) -> bytes:
    """The protocol-0 form of a call."""
    body = b"".join(pickle.dumps(a, protocol=0)[:-1] for a in args)
    return f"c{module}\n{name}\n".encode() + b"(" + body + b"tR."


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


TOUCH = "touch RAN"
CALLS = {
    "os.system": reduce("os", "system", TOUCH),
    "posix.system": reduce("posix", "system", TOUCH),
    "nt.system": reduce("nt", "system", TOUCH),
    "subprocess": reduce("subprocess", "Popen", [TOUCH], 0, None, None, None, None, None, True),
    "eval": reduce("builtins", "eval", "open('RAN', 'w')"),
    "exec": reduce("builtins", "exec", "open('RAN', 'w')"),
    "python 2 eval": reduce("__builtin__", "eval", "open('RAN', 'w')"),
    "getattr": reduce("builtins", "getattr", 1, "real"),
    "open": reduce("builtins", "open", "RAN", "w"),
    "__import__": reduce("builtins", "__import__", "os"),
    "importlib": reduce("importlib", "import_module", "antigravity"),
    "runpy": reduce("runpy", "run_path", "RAN"),
    "pty": reduce("pty", "spawn", TOUCH),
    "timeit": reduce("timeit", "timeit", "open('RAN', 'w')"),
    "pdb": reduce("pdb", "run", "open('RAN', 'w')"),
    "code": reduce("code", "interact"),
    "webbrowser": reduce("webbrowser", "open", "http://localhost"),
    "shutil": reduce("shutil", "rmtree", "."),
    "pickle.loads": reduce("pickle", "loads", b"c"),
    "marshal": reduce("marshal", "loads", b"c"),
    "ctypes": reduce("ctypes", "CDLL", "libc.so.6"),
    "operator": reduce("operator", "attrgetter", "x"),
    "functools": reduce("functools", "partial", 1),
    "copyreg": reduce("copyreg", "__reduce_ex__", 1),
    "torch.load": reduce("torch", "load", "x"),
    "torch.hub": reduce("torch.hub", "load", "x", "y"),
    "numpy.load": reduce("numpy", "load", "x"),
    "numpy testing": reduce("numpy.testing._private.utils", "runstring", "open('RAN','w')", {}),
    "numpy f2py": reduce("numpy.f2py.crackfortran", "getlincoef", "open('RAN','w')", []),
    "pip": reduce("pip", "main", ["install", "x"]),
    "socket": reduce("socket", "create_connection", ("localhost", 1)),
    "asyncio": reduce("asyncio.unix_events", "_UnixSubprocessTransport", 1),
    "types.FunctionType": reduce("types", "FunctionType", 1),
    "types.CodeType": reduce("types", "CodeType", 1),
    "rushlight's own": reduce("rushlight.serialization.allowed", "add_safe_globals", []),
    "dotted name": reduce("collections", "OrderedDict.fromkeys", []),
    "through a module": reduce("torch._utils", "sys.modules", 1),
    "INST": b"(" + text(TOUCH) + b"ios\nsystem\n.",
    "OBJ": b"(cos\nsystem\n" + text(TOUCH) + b"o.",
    "STACK_GLOBAL": b"\x80\x04" + text("os") + text("system") + b"\x93" + text(TOUCH) + b"\x85R.",
    "NEWOBJ": b"\x80\x02csubprocess\nPopen\n)\x81.",
    "NEWOBJ_EX": b"\x80\x04csubprocess\nPopen\n)}\x92.",
    "only a name": b"cos\nsystem\n.",
    "persistent module": b"\x80\x02(" + text("module") + b"cos\nsystem\n" + text("") * 2 + b"tQ.",
    "EXT1": b"\x80\x02\x82\x01.",
    "EXT2": b"\x80\x02\x83\x01\x00.",
    "EXT4": b"\x80\x02\x84\x01\x00\x00\x00.",
    "NEXT_BUFFER": b"\x80\x05\x97.",
}

MACHINE = {
    "empty": b"",
    "no end": b"\x80\x02N",
    "empty stack": b"\x80\x02.",
    "left on the stack": b"NN.",
    "mark left": b"(N.",
    "pop of nothing": b"0.",
    "no mark": b"t.",
    "memo not set": b"h\x05.",
    "memo bomb": b"Nr\xff\xff\xff\x7f.",
    "memo bomb in text": b"Np99999999999\n.",
    "negative memo": b"Np-1\n.",
    "long string": b"X\xff\xff\xff\xff.",
    "long bytes": b"\x8e" + b"\xff" * 8 + b".",
    "long frame": b"\x80\x04\x95" + b"\xff" * 8 + b".",
    "negative length": b"T\xff\xff\xff\xff.",
    "negative integer length": b"\x8b\xff\xff\xff\xff.",
    "not UTF-8": b"X\x02\x00\x00\x00\xff\xfe.",
    "protocol": b"\x80\x09N.",
    "no opcode": b"\xffN.",
    "digits bomb": b"L" + b"9" * 5000 + b"L\n.",
    "not a number": b"Fabc\n.",
    "odd items": b"}(K\x01u.",
    "unhashable key": b"}(]K\x01u.",
    "append to a tuple": b")K\x01a.",
    "append to a dictionary": b"}K\x01a.",
    "set an item of a list": b"]K\x01K\x02s.",
    "add to a list": b"\x80\x04](K\x01\x90.",
    "build of a list": b"]}b.",
    "call of a list": b"])R.",
    "call of a string": text("x") + b")R.",
    "call of a result": b"ccollections\nOrderedDict\n)R)R.",
    "arguments that are no tuple": b"ccollections\nOrderedDict\n]R.",
    "name of bytes": b"\x80\x04C\x02osC\x06system\x93.",
    "name with a newline": b"\x80\x04" + text("o\ns") + text("x") + b"\x93.",
    "nested tuples": b")" + b"\x85" * 5000 + b".",
    "nested tuples as a key": b"})" + b"\x85" * 100000 + b"Ns.",
    "nested frozen sets": b"\x80\x04" + b"(" * 5000 + b"\x91" * 5000 + b".",
    "unknown escape": b"S'\\q'\n.",
    "string without quotes": b"Sabc\n.",
}

ARGUMENTS = {
    "bytearray bomb": reduce("builtins", "bytearray", 10**12),
    "bytes bomb": reduce("builtins", "bytes", 10**12),
    "list bomb": b"cbuiltins\nlist\n(" + reduce("builtins", "range", 0, 10**12)[:-1] + b"tR.",
    "set bomb": b"cbuiltins\nset\n(" + reduce("builtins", "range", 0, 10**12)[:-1] + b"tR.",
    "deque bomb": b"ccollections\ndeque\n(" + reduce("builtins", "range", 10**12)[:-1] + b"tR.",
    "codec": reduce("_codecs", "encode", "x", "rot13"),
    "zip codec": reduce("_codecs", "encode", "x", "zlib_codec"),
    "fraction bomb": reduce("fractions", "Fraction", "1e999999999"),
    "int of digits": reduce("builtins", "int", "9" * 10000),
    "array bomb": reduce("numpy", "ndarray", (10**12,)),
    "scalar of a range": b"cnumpy\nfloat64\n(" + reduce("builtins", "range", 10**9)[:-1] + b"tR.",
    "array of objects": b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\nt"
    + text("b") + b"tR(I1\n(I5\nt" + reduce("numpy", "dtype", "O8")[:-1] + b"I00\n]tb.",
    "array too short": b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\nt"
    + text("b") + b"tR(I1\n(L99999999999L\nt" + reduce("numpy", "dtype", "f8")[:-1]
    + b"I00\n" + text("x") + b"tb.",
    "dtype of objects": reduce("numpy", "dtype", "O,i4"),
    "dtype of a string": reduce("numpy", "dtype", "(1000000000,1000000000)f8"),
    "factory": reduce("collections", "defaultdict", 5),
    "namespace's class": b"cargparse\nNamespace\n)\x81}X\x09\x00\x00\x00__class__Nsb.",
    "uuid's state": b"cuuid\nUUID\n)\x81}X\x01\x00\x00\x00xNsb.",
    "build of a type": b"ccollections\nOrderedDict\n}X\x01\x00\x00\x00xNsb.",
    "state that is no dictionary": b"ccollections\nOrderedDict\n)R]b.",
    "decimal": reduce("decimal", "Decimal", 10**30),
    "path of bytes": reduce("pathlib", "PosixPath", b"x"),
    "state of a range": b"cbuiltins\nrange\n(K\x03tR}b.",
    "dictionary of a namespace": b"cargparse\nNamespace\n)\x81}" + text("__dict__") + b"}sb.",
    "setstate of a namespace": b"cargparse\nNamespace\n)\x81}" + text("__setstate__") + b"Nsb.",
    "reduce of a dictionary": b"ccollections\nOrderedDict\n)R}" + text("__reduce__") + b"Nsb.",
    "slots of a dictionary": b"ccollections\nOrderedDict\n)RN}" + text("__class__") + b"Ns\x86b.",
    "state of a function": b"ctorch._utils\n_rebuild_tensor_v2\n}" + text("__code__") + b"Nsb.",
    "state of a class": b"ctorch.nn.parameter\nParameter\n}" + text("__new__") + b"Nsb.",
    "state of a path": b"cpathlib\nPosixPath\n(" + text("x") + b"tR}" + text("_str") + b"Nsb.",
    "path with a zero": b"cpathlib\nPosixPath\n(K\x01tR.",
    "factory of a method": b"ccollections\ndefaultdict\n(cbuiltins\nrange\ntR.",
    "layout": reduce("torch.serialization", "_get_layout", "torch.nope"),
    "device": reduce("torch", "device", "x" * 1000),
}  # fmt: skip


def tensor(
    key: str = "0", numel: bytes = b"K\x04", offset: bytes = b"K\x00", size: bytes = b"K\x04\x85",
    stride: bytes = b"K\x01\x85", kind: bytes = b"ctorch\nFloatStorage\n",
) -> bytes:  # fmt: skip
    storage = b"(" + text("storage") + kind + text(key) + text("cpu") + numel + b"tQ"
    return (
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + storage + offset + size + stride
        + b"\x89ccollections\nOrderedDict\n)RtR."
    )  # fmt: skip


HUGE = b"\x8a\x09" + b"\xff" * 8 + b"\x7f"
BIG = b"\x8a\x08" + b"\xff" * 7 + b"\x7f"
MANY = b"(" + b"K\x01" * 5000 + b"t"
UTILS = b"\x80\x02ctorch._utils\n"
TENSORS = {
    "too few bytes": tensor(numel=b"K\x05", size=b"K\x05\x85"),
    "too many elements": tensor(size=b"K\x05\x85"),
    "offset": tensor(offset=b"K\x01"),
    "negative offset": tensor(offset=b"J\xff\xff\xff\xff"),
    "negative size": tensor(size=b"J\xff\xff\xff\xff\x85"),
    "negative stride": tensor(stride=b"J\xff\xff\xff\xff\x85"),
    "huge stride": tensor(stride=BIG + b"\x85"),
    "huge size": tensor(size=BIG + b"\x85"),
    "sizes that wrap": tensor(size=BIG + BIG + b"\x86", stride=BIG + BIG + b"\x86"),
    "beyond 64 bits": tensor(size=HUGE + b"\x85"),
    "huge storage": tensor(numel=BIG),
    "negative storage": tensor(numel=b"J\xff\xff\xff\xff"),
    "ranks differ": tensor(stride=b"K\x01K\x01\x86"),
    "many dimensions": tensor(size=MANY, stride=MANY),
    "sizes of text": tensor(size=text("4")),
    "size of float": tensor(size=b"G@\x10\x00\x00\x00\x00\x00\x00\x85"),
    "no such record": tensor(key="7"),
    "path as a key": tensor(key="../../../etc/passwd"),
    "not a storage class": tensor(kind=b"ccollections\nOrderedDict\n"),
    "stored dtype, too many": tensor(kind=b"ctorch\nQInt8Storage\n", size=b"K\x7f\x85"),
    "no storage": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(NK\x00))\x89}tR.",
    "no arguments": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R.",
    "parameter of nothing": b"\x80\x02ctorch._utils\n_rebuild_parameter\n(N\x88}tR.",
    "sparse of nothing": UTILS + b"_rebuild_sparse_tensor\n(ctorch\nsparse_coo\n)tR.",
    "type of nothing": b"\x80\x02ctorch._tensor\n_rebuild_from_type_v2\n"
    b"(ccollections\nOrderedDict\nN)}tR.",
}  # fmt: skip
