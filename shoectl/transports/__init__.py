"""Pipes of bytes, found by URL scheme."""
