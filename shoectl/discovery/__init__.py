"""What is attached to this machine, who answers there, and why a device would not come up."""
