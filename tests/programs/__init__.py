"""Random programs over tensors: made, run under two libraries with PyTorch's names, compared.

    python -m tests.programs.run --count 1000 --seed 0

`calls` is what a program consists of, `generate` makes one, `observe` runs it and writes down all
that can be seen, `compare` finds the first difference, `shrink` makes a failing program small.
`model` is the library to compare with where PyTorch is not installed.
"""
