"""PyTorch programs and PyTorch's toolbox, without PyTorch."""
