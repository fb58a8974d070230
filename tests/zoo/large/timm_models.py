"""timm: one model of each of its larger families, in the smallest form, random weights."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.zoo.large.case import Case, images

# Name -> side of the images, arguments that make the model smaller.
MODELS: dict[str, tuple[int, dict[str, Any]]] = {
    "beit_base_patch16_224": (64, {"depth": 2, "embed_dim": 48, "num_heads": 3, "img_size": 64}),
    "cait_xxs24_224": (64, {"depth": 2, "img_size": 64}),
    "coat_lite_tiny": (64, {"img_size": 64}),
    "convmixer_768_32": (56, {"depth": 3, "dim": 64}),
    "convnext_atto": (32, {"depths": (1, 1, 2, 1)}),
    "cspresnet50": (64, {}),
    "deit_tiny_patch16_224": (64, {"depth": 3, "img_size": 64}),
    "dla34": (64, {}),
    "dpn48b": (64, {}),
    "efficientformerv2_s0": (224, {}),
    "efficientnet_lite0": (64, {}),
    "fastvit_t8": (64, {}),
    "ghostnet_050": (64, {}),
    "hardcorenas_a": (64, {}),
    "hrnet_w18_small": (64, {}),
    "levit_128s": (224, {}),
    "mixer_s32_224": (64, {"num_blocks": 2, "img_size": 64}),
    "mixnet_s": (64, {}),
    "mobilenetv4_conv_small": (64, {}),
    "mobileone_s0": (64, {}),
    "mobilevit_xxs": (64, {}),
    "nfnet_f0": (64, {"width_factor": 0.25}),
    "pit_ti_224": (224, {}),
    "poolformer_s12": (64, {"layers": (1, 1, 2, 1)}),
    "pvt_v2_b0": (64, {}),
    "regnetz_005": (64, {}),
    "repvgg_a0": (64, {}),
    "res2net50_14w_8s": (64, {"layers": (1, 1, 1, 1)}),
    "resmlp_12_224": (64, {"num_blocks": 2, "img_size": 64}),
    "resnest14d": (64, {}),
    "resnetv2_50": (64, {"layers": (1, 1, 1, 1)}),
    "rexnet_100": (64, {}),
    "selecsls42": (64, {}),
    "seresnet18": (64, {}),
    "skresnet18": (64, {}),
    "swin_tiny_patch4_window7_224": (224, {"depths": (1, 1, 2, 1), "embed_dim": 24}),
    "tinynet_e": (64, {}),
    "tnt_s_patch16_224": (224, {"depth": 2}),
    "twins_svt_small": (224, {"depths": (1, 1, 2, 1)}),
    "vit_tiny_patch16_224": (64, {"depth": 3, "img_size": 64}),
    "xception41": (64, {}),
    "xcit_nano_12_p16_224": (64, {"depth": 2, "img_size": 64}),
}


def build(name: str) -> Case:
    import timm

    side, options = MODELS[name]
    return images(timm.create_model(name, pretrained=False, num_classes=10, **options), side)


CASES: dict[str, Callable[[], Case]] = {name: partial(build, name) for name in MODELS}
