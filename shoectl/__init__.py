"""shoectl: the open controller for automated card shufflers and dealing shoes."""

__version__ = "0.1.0"
