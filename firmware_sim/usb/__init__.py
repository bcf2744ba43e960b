"""Simulated devices on a simulated USB: descriptors, endpoints, functions, and the server that offers them (USB/IP)."""
