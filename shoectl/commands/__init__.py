"""The commands of the command line, one module a group."""
