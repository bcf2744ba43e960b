"""Transports and devices."""
