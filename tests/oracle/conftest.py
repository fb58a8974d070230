"""Without PyTorch there is nothing to compare with, so nothing here is collected."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]
