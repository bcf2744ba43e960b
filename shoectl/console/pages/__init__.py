"""From a view to what a page shows."""
