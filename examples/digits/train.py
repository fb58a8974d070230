"""Train a small CNN on handwritten digits in PyTorch and export it for rushlight.

Needs ``torch==2.13.0`` and ``scikit-learn``, which carries the data: 1,797 images of 8x8 pixels
with values 0 to 16 (UCI, Optical Recognition of Handwritten Digits, Alpaydin and Kaynak, 1998).

``python train.py [--out FOLDER]`` writes

* ``digits.pt2``: the program. Input ``images``, float32 (N, 1, 8, 8) with the data's own values,
  N from 1 to 4096; output: the scores of the ten classes, float32 (N, 10)
* ``test.npz``: the fifth of the data that training did not see: ``images`` as above and
  ``labels``, int64 (N,)
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_digits  # type: ignore[import-untyped]
from sklearn.model_selection import train_test_split  # type: ignore[import-untyped]
from torch import nn

SEED = 2026


class DigitsNet(nn.Module):
    """Three 3x3 convolutions with batch norm and ReLU, two poolings, one linear layer."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for inplanes, planes, pool in ((1, 16, False), (16, 32, True), (32, 32, True)):
            layers += [nn.Conv2d(inplanes, planes, 3, padding=1), nn.BatchNorm2d(planes), nn.ReLU()]
            if pool:
                layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(32 * 2 * 2, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        hidden = self.features(images / 16.0)
        scores: torch.Tensor = self.classifier(torch.flatten(hidden, 1))
        return scores


def shifted(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Move the batch by at most one pixel in each direction, filling with background."""
    dy, dx = (int(v) for v in torch.randint(0, 3, (2,), generator=generator))
    return nn.functional.pad(images, (1, 1, 1, 1))[:, :, dy : dy + 8, dx : dx + 8]


def train(images: torch.Tensor, labels: torch.Tensor, epochs: int) -> DigitsNet:
    """Fit the network with Adam; one line of progress on a terminal."""
    torch.manual_seed(SEED)
    generator = torch.Generator().manual_seed(SEED)
    model = DigitsNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        for batch in torch.randperm(len(images), generator=generator).split(64):  # type: ignore[no-untyped-call]
            optimizer.zero_grad()
            scores = model(shifted(images[batch], generator))
            loss = nn.functional.cross_entropy(scores, labels[batch])
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        schedule.step()
        if sys.stderr.isatty():
            end = "\n" if epoch + 1 == epochs else ""
            print(f"\repoch {epoch + 1}/{epochs}  loss {float(loss):.3f}", end=end, file=sys.stderr)
    return model.eval()


def export(model: DigitsNet, example: torch.Tensor) -> torch.export.ExportedProgram:
    """Export with a dynamic batch, without the stack traces that name this machine's folders."""
    batch = torch.export.Dim("batch", min=1, max=4096)
    program = torch.export.export(model, (example,), dynamic_shapes={"images": {0: batch}})
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)
    return program


def write(program: torch.export.ExportedProgram, test: dict[str, torch.Tensor], out: Path) -> None:
    """Write both files beside their targets first, so that each is whole or absent."""
    with tempfile.TemporaryDirectory(dir=out) as folder:
        made = Path(folder, "digits.pt2"), Path(folder, "test.npz")
        torch.export.save(program, made[0])
        np.savez(made[1], images=test["images"].numpy(), labels=test["labels"].numpy())
        for path in made:
            path.replace(out / path.name)


def main(argv: Sequence[str] | None = None) -> int:
    """Train, export, write, and print the held-out accuracy."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--epochs", type=int, default=40)
    options = parser.parse_args(argv)
    data, classes = load_digits(return_X_y=True)
    images = torch.from_numpy(data.astype(np.float32)).reshape(-1, 1, 8, 8)
    labels = torch.from_numpy(classes.astype(np.int64))
    seen, held_out = train_test_split(
        np.arange(len(images)), test_size=0.2, random_state=SEED, stratify=classes
    )
    model = train(images[seen], labels[seen], options.epochs)
    test = {"images": images[held_out], "labels": labels[held_out]}
    with torch.no_grad():
        right = (model(test["images"]).argmax(1) == test["labels"]).float().mean()
        program = export(model, images[seen[:2]])
    write(program, test, options.out)
    print(f"{len(held_out)} held-out images, accuracy {100 * float(right):.2f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
