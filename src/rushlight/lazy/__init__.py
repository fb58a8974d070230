"""What is lazy about tensors: when recorded operators run, how often, and why they were compiled.

The functions of ``torch._lazy``, and :func:`compile`, which skips the recording too, and
:func:`explain`. The guide is docs/lazy.md.
"""

from rushlight.lazy import (
    computation,
    config,
    debug,
    extract_compiled_graph,
    ir_cache,
    metrics,
    ts_backend,
)
from rushlight.lazy.closure import add_step_closure, run_step_closures
from rushlight.lazy.compiled import CompiledFunction, NotReplayableError, compile
from rushlight.lazy.debug import dump_ir, render_ir_graph
from rushlight.lazy.device_context import DeviceContext, get_device_context
from rushlight.lazy.explanation import Compilation, Explanation, explain
from rushlight.lazy.steps import (
    get_tensor_id,
    mark_step,
    save,
    sync_multi,
    to_cpu,
    wait_device_ops,
)

__all__ = [
    "Compilation",
    "CompiledFunction",
    "DeviceContext",
    "Explanation",
    "NotReplayableError",
    "add_step_closure",
    "compile",
    "computation",
    "config",
    "debug",
    "dump_ir",
    "explain",
    "extract_compiled_graph",
    "get_device_context",
    "get_tensor_id",
    "ir_cache",
    "mark_step",
    "metrics",
    "render_ir_graph",
    "run_step_closures",
    "save",
    "sync_multi",
    "to_cpu",
    "ts_backend",
    "wait_device_ops",
]
