"""`python -m shoectl`."""

from shoectl.cli import main

main()
