"""Tests of rushlight.package."""
