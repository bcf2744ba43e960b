"""The web face of a table: a page for the dealer, one for the pit, and the same as JSON."""
