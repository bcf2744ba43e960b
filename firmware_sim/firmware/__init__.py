"""What each family does: its states as a table."""
