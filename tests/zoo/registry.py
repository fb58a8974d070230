"""The list of zoo models: name, and the function that builds it as ``module:function``.

Modules are imported only when one of their models is asked for; those of transformers take
seconds to import.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import cast

from tests.zoo.program import Program

MODELS: dict[str, str] = {
    "mlp": "mlp:build_mlp",
    "lenet": "lenet:build_lenet",
    "resnet18": "resnet:build_resnet18",
    "resnet50": "resnet:build_resnet50",
    "mobilenet_v2": "mobilenet:build_mobilenet_v2",
    "vgg11": "vgg:build_vgg11",
    "unet": "unet:build_unet",
    "lstm_tagger": "rnn:build_lstm_tagger",
    "gru_tagger": "rnn:build_gru_tagger",
    "tcn": "tcn:build_tcn",
    "dcgan": "generative:build_dcgan",
    "vae": "generative:build_vae",
    "bert": "encoders:build_bert",
    "bert_base": "encoders:build_bert_base",
    "distilbert": "encoders:build_distilbert",
    "minilm": "encoders:build_minilm",
    "vit": "encoders:build_vit",
    "gpt2": "decoders:build_gpt2",
    "llama": "decoders:build_llama",
    "counter": "state:build_counter",
    "kv_cache": "state:build_kv_cache",
    "inplace_slices": "state:build_inplace_slices",
    "inplace_views": "state:build_inplace_views",
    "input_mutation": "state:build_input_mutation",
    "tied_weights": "state:build_tied_weights",
    "linear": "features:build_linear",
    "nested_inputs": "features:build_nested_inputs",
    "bf16_mlp": "features:build_bf16_mlp",
    "int_bool": "features:build_int_bool",
    "lifted_constants": "features:build_lifted_constants",
    "multi_output": "features:build_multi_output",
    "symbolic_sizes": "features:build_symbolic_sizes",
    "symbolic_masks": "features:build_symbolic_masks",
    "scalar_inputs": "features:build_scalar_inputs",
    "channels_last": "features:build_channels_last",
    "branches": "control_flow:build_branches",
    "loops": "control_flow:build_loops",
    "scans": "control_flow:build_scans",
    "mixed_precision": "control_flow:build_mixed_precision",
    "batched": "control_flow:build_batched",
}


def builder(name: str) -> Callable[[bool], Program]:
    """Return the function that builds model ``name``; it takes ``small``."""
    module, function = MODELS[name].split(":")
    loaded = importlib.import_module(f"tests.zoo.models.{module}")
    return cast(Callable[[bool], Program], getattr(loaded, function))
