"""The model zoo: real architectures, exported by PyTorch, with inputs and expected outputs.

This package is a tool for developers and CI. It needs ``torch==2.13.0`` and ``transformers``;
nothing else in the project imports it. ``python -m tests.zoo.export --help`` says how to use it.
"""
