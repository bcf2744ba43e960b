"""Tests, one folder a part; shared tools are modules here."""
