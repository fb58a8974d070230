"""Functions that hostile pickles call, and ways to hide which."""

from __future__ import annotations

from typing import Any

from .hostile_pickles import TOUCH, reduce, text

# Functions of the standard library and of installed packages that run what they are given: each has
# been used, or got past a scanner of names.
RUNNERS: dict[str, tuple[Any, ...]] = {
    "os.popen": (TOUCH,), "os.execv": ("/bin/sh", ["sh"]), "os.spawnlp": (0, "sh"),
    "posix.posix_spawn": ("/bin/touch", ["touch", "RAN"], {}), "_posixsubprocess.fork_exec": (),
    "subprocess.check_output": (["touch", "RAN"],), "subprocess.getoutput": (TOUCH,),
    "commands.getoutput": (TOUCH,), "platform.popen": (TOUCH,), "popen2.popen2": (TOUCH,),
    "builtins.compile": ("1", "x", "eval"), "builtins.globals": (), "builtins.vars": (),
    "builtins.setattr": (1, "x", 2), "builtins.delattr": (1, "x"), "builtins.breakpoint": (),
    "builtins.input": (), "builtins.type": ("X", (), {}), "builtins.object": (),
    "builtins.map": (1, []), "builtins.super": (), "builtins.memoryview": (b"x",),
    "__builtin__.apply": (1,), "__builtin__.execfile": ("RAN",), "__builtin__.reload": (1,),
    "_io.FileIO": ("RAN", "w"), "io.open": ("RAN", "w"), "codecs.open": ("RAN", "w"),
    "tempfile.NamedTemporaryFile": (), "gzip.open": ("RAN", "w"), "sqlite3.connect": ("RAN",),
    "logging.FileHandler": ("RAN",), "logging.config.listen": (), "pathlib.Path.touch": ("RAN",),
    "sys.exit": (), "sys.setrecursionlimit": (10,), "_thread.interrupt_main": (),
    "signal.raise_signal": (9,), "os._exit": (0,), "os.kill": (0, 9), "gc.get_objects": (),
    "_pickle.loads": (b"N.",), "pickle.load": (1,), "pickle.Unpickler": (1,),
    "_compat_pickle.x": (), "cPickle.loads": (b"N.",), "shelve.open": ("RAN",),
    "dill.loads": (b"N.",), "cloudpickle.loads": (b"N.",), "joblib.load": ("RAN",),
    "pandas.read_pickle": ("RAN",), "numpy.loads": (b"N.",), "copyreg._reconstructor": (1, 2, 3),
    "copy_reg._reconstructor": (1, 2, 3), "copyreg.__newobj__": (1,),
    "codeop.compile_command": ("1",),
    "cProfile.run": ("open('RAN', 'w')",), "profile.run": ("open('RAN', 'w')",),
    "profile.Profile.run": (1, "x"), "trace.Trace.run": (1, "x"), "bdb.Bdb.run": (1, "x"),
    "doctest.debug_script": ("open('RAN', 'w')",), "code.InteractiveInterpreter": (),
    "ensurepip.bootstrap": (), "ensurepip._run_pip": ([],), "pip._internal.cli.main.main": ([],),
    "venv.create": ("RAN",), "site.execsitecustomize": (), "pydoc.pipepager": ("x", TOUCH),
    "pydoc.locate": ("antigravity",), "pkgutil.resolve_name": ("os:system",),
    "zipimport.zipimporter": ("RAN",), "imp.load_source": ("x", "RAN"),
    "idlelib.run.Executive": (1,),
    "idlelib.autocomplete.AutoComplete.get_entity": (1, "x"), "lib2to3.pgen2.grammar.Grammar": (),
    "lib2to3.pgen2.pgen.ParserGenerator": ("RAN",), "distutils.file_util.write_file": ("RAN", []),
    "test.support.script_helper.assert_python_ok": ("-c",), "unittest.mock._importer": ("os",),
    "multiprocessing.util.spawnv_passfds": (b"sh", [], []), "concurrent.futures.Future": (),
    "asyncio.run": (1,), "threading.Thread": (), "ctypes.cdll.LoadLibrary": ("libc.so.6",),
    "_ctypes.dlopen": ("libc.so.6",), "cffi.FFI": (), "mmap.mmap": (-1, 1),
    "uuid._load_system_functions": (),
    "uuid._get_command_stdout": ("touch", "RAN"), "functools.reduce": (1, []),
    "itertools.chain": (1,), "operator.methodcaller": ("x",), "_operator.call": (1,),
    "types.MethodType": (1, 2), "typing.get_type_hints": (1,), "inspect.getattr_static": (1, "x"),
    "string.Formatter": (), "smtplib.SMTP": ("localhost",), "ftplib.FTP": ("localhost",),
    "http.server.test": (), "http.client.HTTPConnection": ("localhost",),
    "urllib.request.urlopen": ("file:///etc/passwd",),
    "ssl.get_server_certificate": (("localhost", 1),),
    "requests.api.get": ("http://localhost",), "aiohttp.client.ClientSession": (),
    "torch.storage._load_from_bytes": (b"x",), "torch.serialization.load": ("x",),
    "torch.jit.load": ("x",), "torch.jit._script.unpackage_script_module": (1, "x"),
    "torch.fx.graph_module.reduce_graph_module": ({"_code": "open('RAN', 'w')"}, ""),
    "torch.fx.graph_module.reduce_package_graph_module": (1, {}, "x"),
    "torch.fx.graph_module._forward_from_src": ("open('RAN', 'w')", {}),
    "torch.utils.cpp_extension.load_inline": ("x", "y"), "torch.utils.model_zoo.load_url": ("x",),
    "torch.utils.collect_env.run": (TOUCH,), "torch.utils.bottleneck.__main__.run": (TOUCH,),
    "torch._inductor.codecache.compile_file": ("x", "y", "z"),
    "torch._dynamo.guards.GuardBuilder.get": (1, "x"), "torch.ops.load_library": ("x.so",),
    "torch._C._jit_get_operation": ("x",), "torch.classes.load_library": ("x.so",),
    "torch.package.PackageImporter": ("x",), "torch.distributed.rpc.init_rpc": ("x",),
    "torch.multiprocessing.spawn": (1,), "torch.save": (1, "RAN"),
    "torch.from_file": ("RAN", True, 1),
    "torch.UntypedStorage.from_file": ("RAN", True, 1), "torch.Tensor.tofile": ("RAN",),
    "numpy.fromfile": ("RAN",), "numpy.memmap": ("RAN",), "numpy.savetxt": ("RAN", []),
    "numpy.lib.format.read_array": (1,), "numpy.core._internal._ctypes": (1,),
    "numpy.f2py.diagnose.run_command": (TOUCH,),
    "numpy.distutils.exec_command.exec_command": (TOUCH,),
    "scipy.io.loadmat": ("RAN",), "keras.layers.Lambda": (1,), "transformers.pipeline": ("x",),
    "rushlight.load": ("x",), "rushlight.package.PackageImporter": ("x",),
    "rushlight.serialization.unpickler._set_state": (1, {}),
}  # fmt: skip

# Names that are put together, hidden or reached through what is allowed.
HIDDEN = {
    "STACK_GLOBAL from the memo": b"\x80\x04" + text("system") + b"\x94" + text("os") + b"\x940"
    + b"0h\x01h\x00\x93" + text(TOUCH) + b"\x85R.",
    "STACK_GLOBAL of numbered memo": b"\x80\x04" + text("os") + b"r\x10\x00\x00\x00"
    + text("system")
    + b"\x93" + text(TOUCH) + b"\x85R.",
    "global kept for later": b"\x80\x02cos\nsystem\nq\x000N0h\x00" + text(TOUCH) + b"\x85R.",
    "before an invalid end": reduce("os", "system", TOUCH)[:-1] + b"\xff.",
    "first of two": reduce("os", "system", TOUCH)[:-1] + b"0N.",
    "in a dictionary's key": b"}" + reduce("os", "system", TOUCH)[:-1] + b"Ns.",
    "in a persistent id": reduce("os", "system", TOUCH)[:-1] + b"Q.",
    "as an argument": b"cbuiltins\nlist\n(" + reduce("os", "system", TOUCH)[:-1] + b"tR.",
    "as a state": b"ccollections\nOrderedDict\n)R" + reduce("os", "system", TOUCH)[:-1] + b"b.",
    "as a factory": b"ccollections\ndefaultdict\n(cos\nsystem\ntR.",
    "as a class": b"ctorch._tensor\n_rebuild_from_type_v2\n(cos\nsystem\nN("
    + text(TOUCH) + b"tNtR.",
    "spelled with spaces": b"cos \nsystem\n" + text(TOUCH) + b"\x85R.",
    "full-width letters": "c\uff4f\uff53\nsystem\n".encode() + text(TOUCH) + b"\x85R.",
    "module of an allowed name": reduce("collections", "_sys.modules.get", "os"),
    "attribute of a tensor": reduce("torch", "Tensor.__reduce_ex__.__globals__", 1),
    "subclasses": reduce("builtins", "object.__subclasses__"),
    "globals of a function": reduce("torch._utils", "_rebuild_tensor_v2.__globals__"),
    "class of a class": reduce("collections", "OrderedDict.__class__", "X", (), {}),
}  # fmt: skip
