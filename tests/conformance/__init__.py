"""Every declared operator on PyTorch's own sample inputs: ``python -m tests.conformance.run``."""
