"""Devices made of software, which share the wire with the daemon and nothing else."""
