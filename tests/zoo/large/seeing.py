"""transformers: architectures of images, and of images with text; small configurations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from tests.zoo.large.case import Case, Tensors
from tests.zoo.large.language import LENGTH, SMALL, make, tokens
from tests.zoo.program import Call, settle_batch_norm

PATCHES: dict[str, Any] = {
    k: v for k, v in SMALL.items() if k not in ("vocab_size", "max_position_embeddings")
} | {"image_size": 32, "patch_size": 8}
STAGES: dict[str, Any] = {"hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1]}

# Name -> class of the configuration, class of the model, its arguments, side of the images.
IMAGES: dict[str, tuple[str, str, dict[str, Any], int]] = {
    "beit_hf": ("Beit", "BeitForImageClassification", PATCHES, 32),
    "convnext_hf": ("ConvNext", "ConvNextForImageClassification", STAGES, 32),
    "deit": ("DeiT", "DeiTForImageClassification", PATCHES, 32),
    "depth_anything": (
        "DepthAnything",
        "DepthAnythingForDepthEstimation",
        {
            "reassemble_hidden_size": 32,
            "neck_hidden_sizes": [8, 8, 16, 16],
            "fusion_hidden_size": 16,
            "head_hidden_size": 8,
            "patch_size": 8,
        },
        32,
    ),
    "dinov2": ("Dinov2", "Dinov2Model", PATCHES, 32),
    "dpt": (
        "DPT",
        "DPTForDepthEstimation",
        PATCHES
        | {
            "neck_hidden_sizes": [8, 8, 16, 16],
            "fusion_hidden_size": 16,
            "backbone_out_indices": [0, 1, 2, 3],
            "is_hybrid": False,
            "num_hidden_layers": 4,
        },
        32,
    ),
    "mobilevit_hf": ("MobileViT", "MobileViTForImageClassification", {"image_size": 64}, 64),
    "poolformer_hf": (
        "PoolFormer",
        "PoolFormerForImageClassification",
        {"hidden_sizes": [8, 16, 16, 32], "depths": [1, 1, 1, 1]},
        64,
    ),
    "pvt": ("Pvt", "PvtForImageClassification", {"image_size": 64, "depths": [1, 1, 1, 1]}, 64),
    "regnet_hf": (
        "RegNet",
        "RegNetForImageClassification",
        {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "groups_width": 8},
        32,
    ),
    "segformer": (
        "Segformer",
        "SegformerForSemanticSegmentation",
        {"hidden_sizes": [8, 16, 16, 32], "depths": [1, 1, 1, 1], "decoder_hidden_size": 16},
        64,
    ),
    "swin2sr": (
        "Swin2SR",
        "Swin2SRForImageSuperResolution",
        {
            "image_size": 16,
            "embed_dim": 24,
            "depths": [2],
            "num_heads": [2],
            "window_size": 8,
            "upscale": 2,
        },
        16,
    ),
    "swin_hf": (
        "Swin",
        "SwinForImageClassification",
        {
            "image_size": 32,
            "patch_size": 2,
            "embed_dim": 16,
            "depths": [2, 1],
            "num_heads": [2, 4],
            "window_size": 4,
        },
        32,
    ),
    "vit_hf": ("ViT", "ViTForImageClassification", PATCHES, 32),
    "yolos": (
        "Yolos",
        "YolosForObjectDetection",
        PATCHES | {"image_size": [32, 32], "num_detection_tokens": 5},
        32,
    ),
}


def image_model(name: str) -> Case:
    config, model, options, side = IMAGES[name]
    if name == "depth_anything":
        import transformers

        backbone = transformers.Dinov2Config(
            **(
                PATCHES
                | {
                    "num_hidden_layers": 4,
                    "out_features": [f"stage{i}" for i in range(1, 5)],
                    "reshape_hidden_states": False,
                    "apply_layernorm": True,
                }
            )
        )
        options = options | {"backbone_config": backbone}
    module = Tensors(make(config, model, options))

    def calls(batch: int) -> Call:
        return Call((torch.randn(batch, 3, side, side),))

    settle_batch_norm(module, lambda _: calls(4), steps=1)
    return Case(module, calls)


def detr() -> Case:
    """Detection by a transformer over a ResNet's features."""
    import transformers

    backbone = transformers.ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 8, 16, 16],
        depths=[1, 1, 1, 1],
        out_features=["stage4"],
    )
    options = {
        "backbone_config": backbone,
        "use_timm_backbone": False,
        "backbone": None,
        "use_pretrained_backbone": False,
        "d_model": 32,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64,
        "num_queries": 6,
    }
    module = Tensors(make("Detr", "DetrForObjectDetection", options))
    return Case(module, lambda batch: Call((torch.randn(batch, 3, 64, 64),)))


TEXT = {
    k: SMALL[k]
    for k in (
        "vocab_size",
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "intermediate_size",
        "max_position_embeddings",
        "pad_token_id",
        "bos_token_id",
        "eos_token_id",
    )
}
VISION = {
    k: PATCHES[k]
    for k in (
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "intermediate_size",
        "image_size",
        "patch_size",
    )
}
PAIRS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "blip": ("Blip", "BlipModel", {"projection_dim": 16}),
    "chinese_clip": ("ChineseCLIP", "ChineseCLIPModel", {"projection_dim": 16}),
    "clip": ("CLIP", "CLIPModel", {"projection_dim": 16}),
    "clipseg": ("CLIPSeg", "CLIPSegModel", {"projection_dim": 16}),
    "siglip": ("Siglip", "SiglipModel", {}),
}


def pair(name: str) -> Case:
    """A model of images and texts that scores which belong together."""
    config, model, options = PAIRS[name]
    module = Tensors(make(config, model, {"text_config": TEXT, "vision_config": VISION} | options))

    def calls(batch: int) -> Call:
        return Call(
            kwargs={
                "input_ids": tokens(batch),
                "pixel_values": torch.randn(batch, 3, 32, 32),
            }
        )

    return Case(module, calls)


def vilt() -> Case:
    module = Tensors(
        make(
            "Vilt", "ViltModel", SMALL | {"image_size": 32, "patch_size": 8, "max_image_length": -1}
        )
    )

    def calls(batch: int) -> Call:
        return Call(
            kwargs={
                "input_ids": tokens(batch),
                "attention_mask": torch.ones(batch, LENGTH, dtype=torch.int64),
                "pixel_values": torch.randn(batch, 3, 32, 32),
            }
        )

    return Case(module, calls)


def git() -> Case:
    """Text about an image, token by token."""
    options = SMALL | {"vision_config": VISION}
    module = Tensors(make("Git", "GitForCausalLM", options), limit=1)

    def calls(batch: int) -> Call:
        return Call(
            kwargs={
                "input_ids": tokens(batch),
                "pixel_values": torch.randn(batch, 3, 32, 32),
            }
        )

    return Case(module, calls)


CASES: dict[str, Callable[[], Case]] = {
    **{name: partial(image_model, name) for name in IMAGES},
    "detr": detr,
    **{name: partial(pair, name) for name in PAIRS},
    "git": git,
    "vilt": vilt,
}
