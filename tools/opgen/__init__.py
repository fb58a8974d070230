"""Generates C++ and documentation from the op table (``ops/*.yaml``)."""
