"""What makes a table a service: word to the service manager, its log, the journal's care, and the installation."""
