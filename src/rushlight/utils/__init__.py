"""Tools around tensors; the modules mirror ``torch.utils``."""
