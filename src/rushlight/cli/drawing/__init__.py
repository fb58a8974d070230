"""Drawing a program's graph as an SVG image: ``rushlight info MODEL --svg FILE``."""

from .svg import draw

__all__ = ["draw"]
