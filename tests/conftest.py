"""Makes the repository importable from every test folder, as `tests.timeloop`."""
