"""Functions and methods of tensors whose Python signature is not an operator's schema."""
