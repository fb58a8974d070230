"""GPT-2 and a Llama-style decoder from transformers, without a cache.

``gpt2`` is the benchmark's form: GPT-2 small, one sequence of 64 tokens, its head tied to the
embedding. ``llama`` has dynamic batch and length and fewer key heads than query heads.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from tests.zoo.models.encoders import BATCH_AND_LENGTH, masked_tokens, token_shapes
from tests.zoo.program import Call, Program


def build_gpt2(small: bool) -> Program:
    sizes: dict[str, Any] = {
        "n_embd": 64,
        "n_layer": 2,
        "n_head": 4,
        "vocab_size": 500,
        "n_positions": 128,
    }
    sizes |= {"bos_token_id": 0, "eos_token_id": 0}
    config = GPT2Config(**(sizes if small else {}), use_cache=False)

    def sample(k: int) -> Call:
        return Call((), {"input_ids": torch.randint(0, config.vocab_size, (1, 64))})

    return Program(GPT2LMHeadModel(config), sample)


def build_llama(small: bool) -> Program:
    config = LlamaConfig(
        vocab_size=500 if small else 8000,
        hidden_size=64 if small else 512,
        intermediate_size=160 if small else 1376,
        num_hidden_layers=2 if small else 6,
        num_attention_heads=4 if small else 8,
        num_key_value_heads=2,
        max_position_embeddings=256,
        use_cache=False,
    )

    def sample(k: int) -> Call:
        ids, mask = masked_tokens(config.vocab_size, *BATCH_AND_LENGTH[k])
        return Call((), {"input_ids": ids, "attention_mask": mask})

    return Program(LlamaForCausalLM(config), sample, token_shapes("input_ids", "attention_mask"))
