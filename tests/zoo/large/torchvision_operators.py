"""torchvision's own operators, where its library does not load.

The torchvision that the package index has is built for CUDA, and its library does not load beside
a PyTorch for CPUs; torchvision then fails while it is imported. Imported before torchvision, this
module declares the operators, so that programs with them can be exported, and computes the ones
that the zoo's models run.
"""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import torch

_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
    "qroi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
    "int pooled_width, int sampling_ratio, bool aligned) -> Tensor",
    "_roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width, "
    "int sampling_ratio, bool aligned) -> Tensor",
    "roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width) -> (Tensor, Tensor)",
    "_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, "
    "SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, "
    "SymInt height, SymInt width) -> Tensor",
    "ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width, int sampling_ratio) -> (Tensor, Tensor)",
    "_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, "
    "float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, "
    "SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor",
    "ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width) -> (Tensor, Tensor)",
    "_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, "
    "float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, "
    "SymInt channels, SymInt height, SymInt width) -> Tensor",
    "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
    "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, "
    "SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor",
    "_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, "
    "Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, "
    "SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) "
    "-> (Tensor, Tensor, Tensor, Tensor, Tensor)",
)


def _loads() -> bool:
    """Does torchvision's library load here?"""
    found = importlib.util.find_spec("torchvision")
    if found is None or found.origin is None:
        return True  # nothing to stand in for
    try:
        torch.ops.load_library(Path(found.origin).with_name("_C.so"))
    except OSError:
        return False
    return True


def _nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """Greedy non-maximum suppression: indices of the boxes kept, by falling score."""
    order = torch.argsort(scores, descending=True, stable=True).tolist()
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept: list[int] = []
    for i in order:
        if kept:
            others = boxes[kept]
            low = torch.maximum(boxes[i, :2], others[:, :2])
            high = torch.minimum(boxes[i, 2:], others[:, 2:])
            overlap = (high - low).clamp(min=0).prod(1)
            if bool((overlap / (area[i] + area[kept] - overlap) > iou_threshold).any()):
                continue
        kept.append(i)
    return torch.tensor(kept, dtype=torch.int64)


def _bilinear(image: torch.Tensor, y: float, x: float) -> torch.Tensor:
    """An image's (C, H, W) channels at a point; 0 further than a pixel outside."""
    height, width = image.shape[1:]
    if y < -1 or y > height or x < -1 or x > width:
        return image.new_zeros(image.shape[0])
    y, x = max(y, 0.0), max(x, 0.0)
    y0, x0 = min(int(y), height - 1), min(int(x), width - 1)
    y1, x1 = min(y0 + 1, height - 1), min(x0 + 1, width - 1)
    b, a = (0.0 if y0 >= height - 1 else y - y0), (0.0 if x0 >= width - 1 else x - x0)
    top = image[:, y0, x0] * (1 - a) + image[:, y0, x1] * a
    bottom = image[:, y1, x0] * (1 - a) + image[:, y1, x1] * a
    return top * (1 - b) + bottom * b


def _roi_align(
    data: torch.Tensor,
    rois: torch.Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> torch.Tensor:
    """Mask R-CNN's RoIAlign (He et al., 2017), point by point."""
    out = data.new_zeros(len(rois), data.shape[1], pooled_height, pooled_width)
    shift = 0.5 if aligned else 0.0
    for r, roi in enumerate(rois.tolist()):
        left, top, right, bottom = (v * spatial_scale - shift for v in roi[1:])
        width, height = right - left, bottom - top
        if not aligned:
            width, height = max(width, 1.0), max(height, 1.0)
        step_y, step_x = height / pooled_height, width / pooled_width
        ny = sampling_ratio if sampling_ratio > 0 else math.ceil(step_y)
        nx = sampling_ratio if sampling_ratio > 0 else math.ceil(step_x)
        for i in range(pooled_height):
            for j in range(pooled_width):
                points = [
                    _bilinear(
                        data[int(roi[0])],
                        top + step_y * (i + (p + 0.5) / ny),
                        left + step_x * (j + (q + 0.5) / nx),
                    )
                    for p in range(ny)
                    for q in range(nx)
                ]
                if points:
                    out[r, :, i, j] = torch.stack(points).mean(0)
    return out


if not _loads():
    _library = torch.library.Library("torchvision", "DEF")
    for _schema in _SCHEMAS:
        _library.define(_schema)
    _library.impl("nms", _nms, "CPU")
    _library.impl("roi_align", _roi_align, "CPU")
    import torchvision.extension

    torchvision.extension._has_ops = lambda: True
