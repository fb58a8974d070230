"""The large zoo: families of models from torchvision, timm and transformers, and models of domains
that these lack. ``python -m tests.zoo.coverage`` exports and runs them.
"""
