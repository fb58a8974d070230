"""torchvision: classification, segmentation, detection. Small images, random weights."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from tests.zoo.large.case import Case, Tensors, images
from tests.zoo.program import Call

# Name -> side of the images.
CLASSIFICATION = {
    "alexnet": 64,
    "convnext_tiny": 32,
    "densenet121": 32,
    "efficientnet_b0": 32,
    "efficientnet_v2_s": 32,
    "googlenet": 64,
    "inception_v3": 75,
    "maxvit_t": 224,
    "mnasnet0_5": 32,
    "mobilenet_v2": 32,
    "mobilenet_v3_large": 32,
    "mobilenet_v3_small": 32,
    "regnet_x_400mf": 32,
    "regnet_y_400mf": 32,
    "resnet18": 64,
    "resnet50": 64,
    "resnext50_32x4d": 32,
    "shufflenet_v2_x0_5": 32,
    "squeezenet1_1": 64,
    "swin_t": 64,
    "swin_v2_t": 64,
    "vgg11": 32,
    "vgg11_bn": 32,
    "wide_resnet50_2": 32,
}
SEGMENTATION = {
    "deeplabv3_mobilenet_v3_large": 64,
    "deeplabv3_resnet50": 64,
    "fcn_resnet50": 64,
    "lraspp_mobilenet_v3_large": 64,
}
DETECTION = ("ssdlite320_mobilenet_v3_large", "retinanet_resnet50_fpn", "fcos_resnet50_fpn")


def classifier(name: str, side: int) -> Case:
    import torchvision

    options: dict[str, Any] = {}
    if name in ("googlenet", "inception_v3"):
        options = {"init_weights": False, "aux_logits": False}
    return images(torchvision.models.get_model(name, weights=None, **options), side)


def vision_transformer() -> Case:
    from torchvision.models import VisionTransformer

    return images(VisionTransformer(32, 8, 2, 4, 32, 64, num_classes=10), 32)


def segmenter(name: str, side: int) -> Case:
    import torchvision

    module = torchvision.models.get_model(name, weights=None, weights_backbone=None)
    return images(Tensors(module), side)


class OneImage(nn.Module):
    """A detector on one image, its result as tensors."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = self.module([image])[0]
        return found["boxes"], found["scores"], found["labels"]


def detector(name: str) -> Case:
    import torchvision

    module = torchvision.models.get_model(
        name,
        weights=None,
        weights_backbone=None,
        min_size=128,
        max_size=128,
        num_classes=5,
        **({} if name.startswith("ssd") else {"score_thresh": 0.15}),
    )
    return Case(OneImage(module), lambda _: Call((torch.rand(3, 128, 128),)), batched=False)


CASES: dict[str, Callable[[], Case]] = {
    **{name: partial(classifier, name, side) for name, side in CLASSIFICATION.items()},
    "vit": vision_transformer,
    **{name: partial(segmenter, name, side) for name, side in SEGMENTATION.items()},
    **{name: partial(detector, name) for name in DETECTION},
}
