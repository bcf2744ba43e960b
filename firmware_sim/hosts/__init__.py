"""The same device behind a different plug."""
