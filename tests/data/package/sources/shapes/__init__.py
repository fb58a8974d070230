"""A small library for the fixtures: nothing in it needs PyTorch."""

from .square import Square as Square
